; learned by cubespace from 18000 pairs of pictures of hanoi
(define (domain cubespace)
  (:requirements :strips :typing :negative-preconditions :disjunctive-preconditions :universal-preconditions)
  (:types thing place - object)
  (:predicates
    (at ?x - thing ?p - place)
    (blocks ?x ?y - thing)  ; a total order; 15 of 36 pairs are certain, the others were never seen otherwise
  )
  (:action move  ; 18000 transitions, 49 different events
    :parameters (?x - thing ?p ?q - place)
    :precondition (and (at ?x ?p) (not (at ?x ?q))
                       (forall (?z - thing) (imply (blocks ?z ?x) (and (not (at ?z ?p)) (not (at ?z ?q))))))
    :effect (and (not (at ?x ?p)) (at ?x ?q)))
)
