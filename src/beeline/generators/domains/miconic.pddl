; A lift that stops on every floor it is sent to.
(define (domain miconic)
 (:requirements :strips :typing)
 (:types passenger floor - object)
 (:predicates
  (origin ?passenger - passenger ?floor - floor)
  (destin ?passenger - passenger ?floor - floor)
  (above ?lower - floor ?upper - floor)
  (boarded ?passenger - passenger)
  (served ?passenger - passenger)
  (lift-at ?floor - floor))

 (:action board
  :parameters (?floor - floor ?passenger - passenger)
  :precondition (and (lift-at ?floor) (origin ?passenger ?floor))
  :effect (and (boarded ?passenger) (not (origin ?passenger ?floor))))

 (:action depart
  :parameters (?floor - floor ?passenger - passenger)
  :precondition (and (lift-at ?floor) (destin ?passenger ?floor) (boarded ?passenger))
  :effect (and (served ?passenger) (not (boarded ?passenger))))

 (:action up
  :parameters (?from - floor ?to - floor)
  :precondition (and (lift-at ?from) (above ?from ?to))
  :effect (and (lift-at ?to) (not (lift-at ?from))))

 (:action down
  :parameters (?from - floor ?to - floor)
  :precondition (and (lift-at ?from) (above ?to ?from))
  :effect (and (lift-at ?to) (not (lift-at ?from)))))
