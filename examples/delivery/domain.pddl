; Vans carry parcels along roads. Driving costs what the road costs, handling a parcel costs 1.
(define (domain delivery)
  (:requirements :strips :typing :action-costs)
  (:types place van parcel)
  (:predicates
    (road ?from ?to - place)
    (van-at ?v - van ?p - place)
    (parcel-at ?x - parcel ?p - place)
    (in ?x - parcel ?v - van))
  (:functions
    (distance ?from ?to - place) - number
    (total-cost) - number)

  (:action drive
    :parameters (?v - van ?from ?to - place)
    :precondition (and (van-at ?v ?from) (road ?from ?to))
    :effect (and (van-at ?v ?to) (not (van-at ?v ?from))
                 (increase (total-cost) (distance ?from ?to))))

  (:action load
    :parameters (?x - parcel ?v - van ?p - place)
    :precondition (and (van-at ?v ?p) (parcel-at ?x ?p))
    :effect (and (in ?x ?v) (not (parcel-at ?x ?p))
                 (increase (total-cost) 1)))

  (:action unload
    :parameters (?x - parcel ?v - van ?p - place)
    :precondition (and (van-at ?v ?p) (in ?x ?v))
    :effect (and (parcel-at ?x ?p) (not (in ?x ?v))
                 (increase (total-cost) 1))))
