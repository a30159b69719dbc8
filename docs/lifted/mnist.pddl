; learned by cubespace from 4500 pairs of pictures of mnist
(define (domain cubespace)
  (:requirements :strips :typing)
  (:types thing place - object piece pivot - thing)
  (:predicates
    (at ?x - thing ?p - place)
    (near ?p ?q - place)  ; static
  )
  (:action swap  ; 4500 transitions, 192 different events
    :parameters (?x - piece ?y - pivot ?p ?q - place)
    :precondition (and (near ?p ?q) (at ?x ?p) (at ?y ?q))
    :effect (and (not (at ?x ?p)) (not (at ?y ?q)) (at ?y ?p) (at ?x ?q)))
)
