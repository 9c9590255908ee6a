"""Small tasks with conditional effects, in the manner of well-known domains."""

from __future__ import annotations

BRIEFCASE = """(define (domain briefcase) (:requirements :adl)
 (:types item place)
 (:predicates (at ?i - item ?p - place) (case-at ?p - place) (inside ?i - item))
 (:action move :parameters (?a ?b - place)
  :precondition (and (case-at ?a) (not (= ?a ?b)))
  :effect (and (case-at ?b) (not (case-at ?a))
   (forall (?i - item) (when (inside ?i) (and (at ?i ?b) (not (at ?i ?a)))))))
 (:action put :parameters (?i - item ?p - place)
  :precondition (and (at ?i ?p) (case-at ?p) (not (inside ?i))) :effect (inside ?i))
 (:action take :parameters (?i - item) :precondition (inside ?i) :effect (not (inside ?i))))
"""

BRIEFCASE_TASK = """(define (problem three-items) (:domain briefcase)
 (:objects a b c - item home office shop - place)
 (:init (at a home) (at b home) (at c shop) (case-at home))
 (:goal (and (at a office) (at b shop) (at c home) (case-at home))))
"""

# A lift whose stops serve whoever waits or wants to leave there, as in the first Miconic.
LIFT = """(define (domain lift) (:requirements :adl)
 (:types passenger floor)
 (:predicates (origin ?p - passenger ?f - floor) (destination ?p - passenger ?f - floor)
  (above ?f ?g - floor) (boarded ?p - passenger) (served ?p - passenger) (lift-at ?f - floor)
  (quarrels ?p ?q - passenger))
 (:action stop :parameters (?f - floor)
  :precondition (and (lift-at ?f) (not (exists (?p ?q - passenger)
   (and (boarded ?p) (quarrels ?p ?q) (origin ?q ?f) (not (destination ?p ?f))))))
  :effect (and
   (forall (?p - passenger) (when (and (boarded ?p) (destination ?p ?f))
    (and (not (boarded ?p)) (served ?p))))
   (forall (?p - passenger) (when (and (origin ?p ?f) (not (served ?p))) (boarded ?p)))))
 (:action up :parameters (?f ?g - floor) :precondition (and (lift-at ?f) (above ?f ?g))
  :effect (and (lift-at ?g) (not (lift-at ?f))))
 (:action down :parameters (?f ?g - floor) :precondition (and (lift-at ?f) (above ?g ?f))
  :effect (and (lift-at ?g) (not (lift-at ?f)))))
"""

LIFT_TASK = """(define (problem four-floors) (:domain lift)
 (:objects p q r - passenger f0 f1 f2 f3 - floor)
 (:init (above f0 f1) (above f1 f2) (above f2 f3) (lift-at f0) (quarrels p q)
  (origin p f1) (destination p f3) (origin q f2) (destination q f0)
  (origin r f3) (destination r f1))
 (:goal (forall (?p - passenger) (served ?p))))
"""

# Each button turns some lamps over; turning over twice changes nothing.
LAMPS = """(define (domain lamps) (:requirements :adl)
 (:predicates (wired ?b ?l) (on ?l) (button ?b) (loud))
 (:action press :parameters (?b) :precondition (button ?b)
  :effect (and (when (exists (?l) (and (wired ?b ?l) (on ?l))) (loud))
   (when (not (exists (?l) (and (wired ?b ?l) (on ?l)))) (not (loud)))
   (forall (?l) (when (and (wired ?b ?l) (on ?l)) (not (on ?l))))
   (forall (?l) (when (and (wired ?b ?l) (not (on ?l))) (on ?l))))))
"""

LAMPS_TASK = """(define (problem three-buttons) (:domain lamps)
 (:objects b1 b2 b3 l1 l2 l3 l4)
 (:init (button b1) (button b2) (button b3) (wired b1 l1) (wired b1 l2) (wired b2 l2)
  (wired b2 l3) (wired b2 l4) (wired b3 l3) (wired b3 l1) (on l2))
 (:goal (and (on l4) (on l1) (not (loud)))))
"""

ADL_TASKS = {
    "briefcase": (BRIEFCASE, BRIEFCASE_TASK),
    "lift": (LIFT, LIFT_TASK),
    "lamps": (LAMPS, LAMPS_TASK),
}
