; learned by cubespace from 4500 pairs of pictures of lightsout
(define (domain cubespace)
  (:requirements :strips :typing :negative-preconditions :conditional-effects)
  (:types place button - object)
  (:predicates
    (lit ?p - place)  ; shows the brighter one of its two values
    (affects ?b - button ?p - place)  ; static
  )
  (:action press  ; 4500 transitions, 288 different events
    :parameters (?b - button)
    :precondition (and)
    :effect (and (forall (?p - place) (when (and (affects ?b ?p) (lit ?p)) (not (lit ?p))))
                 (forall (?p - place) (when (and (affects ?b ?p) (not (lit ?p))) (lit ?p)))))
)
