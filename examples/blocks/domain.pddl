; A hand moves one block at a time; the table has room for all of them.
(define (domain blocks)
  (:requirements :strips :typing)
  (:types block)
  (:predicates
    (on ?upper ?lower - block)
    (on-table ?b - block)
    (clear ?b - block)
    (holding ?b - block)
    (hand-empty))

  (:action pick-up
    :parameters (?b - block)
    :precondition (and (hand-empty) (clear ?b) (on-table ?b))
    :effect (and (holding ?b)
                 (not (hand-empty)) (not (clear ?b)) (not (on-table ?b))))

  (:action put-down
    :parameters (?b - block)
    :precondition (holding ?b)
    :effect (and (hand-empty) (clear ?b) (on-table ?b)
                 (not (holding ?b))))

  (:action stack
    :parameters (?b ?target - block)
    :precondition (and (holding ?b) (clear ?target))
    :effect (and (hand-empty) (clear ?b) (on ?b ?target)
                 (not (holding ?b)) (not (clear ?target))))

  (:action unstack
    :parameters (?b ?support - block)
    :precondition (and (hand-empty) (clear ?b) (on ?b ?support))
    :effect (and (holding ?b) (clear ?support)
                 (not (hand-empty)) (not (clear ?b)) (not (on ?b ?support)))))
