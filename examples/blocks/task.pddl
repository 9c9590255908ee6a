; Turn the tower a-b-c upside down and put d on top.
(define (problem upside-down)
  (:domain blocks)
  (:objects a b c d - block)
  (:init
    (hand-empty)
    (on a b) (on b c) (on-table c) (clear a)
    (on-table d) (clear d))
  (:goal (and (on c b) (on b a) (on d c))))
