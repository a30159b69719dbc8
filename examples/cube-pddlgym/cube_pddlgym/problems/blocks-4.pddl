(define (problem blocks-4) (:domain blocks)
  (:objects a b c d - block robot - robot)
  (:init
    (clear a) (ontable a)
    (clear b) (ontable b)
    (clear c) (ontable c)
    (clear d) (ontable d)
    (handempty robot))
  (:goal (and (on a b) (on b c) (on c d))))
