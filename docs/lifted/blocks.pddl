; learned by cubespace from 4500 pairs of pictures of blocks
(define (domain cubespace)
  (:requirements :strips :typing :negative-preconditions :disjunctive-preconditions :universal-preconditions)
  (:types thing place - object piece pivot - thing)
  (:predicates
    (at ?x - thing ?p - place)
    (near ?p ?q - place)  ; static; 184 combinations were too rare to tell
    (on ?p ?q - place)  ; static; 16 of 16 pairs are certain; the first place rests on the second: clear if nothing is there
  )
  (:action swap  ; 4500 transitions, 880 different events
    :parameters (?x - piece ?y - pivot ?p ?q - place)
    :precondition (and (near ?p ?q) (at ?x ?p) (at ?y ?q)
                       (forall (?p0 - place) (imply (on ?p0 ?p) (at ?y ?p0)))
                       (forall (?p1 - place) (imply (on ?q ?p1) (not (at ?y ?p1)))))
    :effect (and (not (at ?x ?p)) (not (at ?y ?q)) (at ?y ?p) (at ?x ?q)))
)
