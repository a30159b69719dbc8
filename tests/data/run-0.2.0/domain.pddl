(define (domain cubespace)
  (:requirements :strips :negative-preconditions)
  (:predicates (z0) (z1) (z2) (z3) (z4) (z5) (z6) (z7))
  (:action a0-d0-n8
    :parameters ()
    :precondition (and (z0) (z3) (z4))
    :effect (and (z1) (z2) (z5) (not (z0)) (not (z3)) (not (z4))))
  (:action a1-d1-n7
    :parameters ()
    :precondition (and (z1) (z3) (z5))
    :effect (and (z0) (z2) (z4) (not (z1)) (not (z3)) (not (z5))))
  (:action a3-d2-n6
    :parameters ()
    :precondition (and (z2) (z5) (z6))
    :effect (and (z3) (z4) (z7) (not (z2)) (not (z5)) (not (z6))))
  (:action a2-d3-n6
    :parameters ()
    :precondition (and (z0) (z3) (z5))
    :effect (and (z1) (z2) (z4) (not (z0)) (not (z3)) (not (z5))))
  (:action a5-d4-n5
    :parameters ()
    :precondition (and (z3) (z5) (z6))
    :effect (and (z2) (z4) (z7) (not (z3)) (not (z5)) (not (z6))))
  (:action a4-d5-n5
    :parameters ()
    :precondition (and (z0) (z2) (z5))
    :effect (and (z1) (z3) (z4) (not (z0)) (not (z2)) (not (z5))))
  (:action a6-d6-n5
    :parameters ()
    :precondition (and (z1) (z2) (z6))
    :effect (and (z0) (z3) (z7) (not (z1)) (not (z2)) (not (z6))))
  (:action a7-d7-n4
    :parameters ()
    :precondition (and (z0) (z5) (z7))
    :effect (and (z1) (z4) (z6) (not (z0)) (not (z5)) (not (z7))))
  (:action a9-d8-n4
    :parameters ()
    :precondition (and (z3) (z4) (z7))
    :effect (and (z2) (z5) (z6) (not (z3)) (not (z4)) (not (z7))))
  (:action a11-d9-n4
    :parameters ()
    :precondition (and (z1) (z5) (z6))
    :effect (and (z0) (z4) (z7) (not (z1)) (not (z5)) (not (z6))))
  (:action a10-d10-n4
    :parameters ()
    :precondition (and (z3) (z5) (z7))
    :effect (and (z2) (z4) (z6) (not (z3)) (not (z5)) (not (z7))))
  (:action a8-d11-n4
    :parameters ()
    :precondition (and (z3) (z4) (z6))
    :effect (and (z2) (z5) (z7) (not (z3)) (not (z4)) (not (z6))))
  (:action a12-d12-n4
    :parameters ()
    :precondition (and (z1) (z3) (z4))
    :effect (and (z0) (z2) (z5) (not (z1)) (not (z3)) (not (z4))))
  (:action a17-d13-n3
    :parameters ()
    :precondition (and (z1) (z2) (z5))
    :effect (and (z0) (z3) (z4) (not (z1)) (not (z2)) (not (z5))))
  (:action a19-d14-n3
    :parameters ()
    :precondition (and (z1) (z3) (z7))
    :effect (and (z0) (z2) (z6) (not (z1)) (not (z3)) (not (z7))))
  (:action a16-d15-n3
    :parameters ()
    :precondition (and (z2) (z4) (z7))
    :effect (and (z3) (z5) (z6) (not (z2)) (not (z4)) (not (z7))))
  (:action a15-d16-n3
    :parameters ()
    :precondition (and (z2) (z4) (z6))
    :effect (and (z3) (z5) (z7) (not (z2)) (not (z4)) (not (z6))))
  (:action a13-d17-n3
    :parameters ()
    :precondition (and (z0) (z4) (z6))
    :effect (and (z1) (z5) (z7) (not (z0)) (not (z4)) (not (z6))))
  (:action a14-d18-n3
    :parameters ()
    :precondition (and (z0) (z3) (z6))
    :effect (and (z1) (z2) (z7) (not (z0)) (not (z3)) (not (z6))))
  (:action a18-d19-n3
    :parameters ()
    :precondition (and (z1) (z4) (z6))
    :effect (and (z0) (z5) (z7) (not (z1)) (not (z4)) (not (z6))))
  (:action a27-d20-n2
    :parameters ()
    :precondition (and (z1) (z4) (z7))
    :effect (and (z0) (z5) (z6) (not (z1)) (not (z4)) (not (z7))))
  (:action a28-d21-n2
    :parameters ()
    :precondition (and (z1) (z5) (z7))
    :effect (and (z0) (z4) (z6) (not (z1)) (not (z5)) (not (z7))))
  (:action a21-d22-n2
    :parameters ()
    :precondition (and (z0) (z2) (z6))
    :effect (and (z1) (z3) (z7) (not (z0)) (not (z2)) (not (z6))))
  (:action a26-d23-n2
    :parameters ()
    :precondition (and (z1) (z2) (z7))
    :effect (and (z0) (z3) (z6) (not (z1)) (not (z2)) (not (z7))))
  (:action a23-d24-n2
    :parameters ()
    :precondition (and (z0) (z3) (z7))
    :effect (and (z1) (z2) (z6) (not (z0)) (not (z3)) (not (z7))))
  (:action a25-d25-n2
    :parameters ()
    :precondition (and (z1) (z2) (z4))
    :effect (and (z0) (z3) (z5) (not (z1)) (not (z2)) (not (z4))))
  (:action a29-d26-n2
    :parameters ()
    :precondition (and (z1) (z3) (z6))
    :effect (and (z0) (z2) (z7) (not (z1)) (not (z3)) (not (z6))))
  (:action a20-d27-n2
    :parameters ()
    :precondition (and (z0) (z2) (z4))
    :effect (and (z1) (z3) (z5) (not (z0)) (not (z2)) (not (z4))))
  (:action a24-d28-n2
    :parameters ()
    :precondition (and (z2) (z5) (z7))
    :effect (and (z3) (z4) (z6) (not (z2)) (not (z5)) (not (z7))))
  (:action a22-d29-n2
    :parameters ()
    :precondition (and (z0) (z4) (z7))
    :effect (and (z1) (z5) (z6) (not (z0)) (not (z4)) (not (z7))))
  (:action a30-d30-n1
    :parameters ()
    :precondition (and (z0) (z5) (z6))
    :effect (and (z1) (z4) (z7) (not (z0)) (not (z5)) (not (z6))))
)
