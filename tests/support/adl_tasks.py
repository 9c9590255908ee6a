"""Small tasks with conditional effects or derived predicates, in the manner of well-known domains.

The lift and the lamps have universal conditions as well, which are expanded over the objects.
"""

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

# What stands on what follows from where each block is.
TOWERS = """(define (domain towers) (:requirements :adl :derived-predicates)
 (:types block)
 (:predicates (on ?x ?y - block) (on-table ?x - block) (holding ?x - block)
  (hand-empty) (clear ?x - block) (above ?x ?y - block))
 (:derived (hand-empty) (forall (?x - block) (not (holding ?x))))
 (:derived (clear ?x - block) (and (not (holding ?x)) (not (exists (?y - block) (on ?y ?x)))))
 (:derived (above ?x ?y - block)
  (or (on ?x ?y) (exists (?z - block) (and (on ?x ?z) (above ?z ?y)))))
 (:action pick-up :parameters (?x - block)
  :precondition (and (clear ?x) (on-table ?x) (hand-empty))
  :effect (and (holding ?x) (not (on-table ?x))))
 (:action put-down :parameters (?x - block) :precondition (holding ?x)
  :effect (and (on-table ?x) (not (holding ?x))))
 (:action stack :parameters (?x ?y - block) :precondition (and (holding ?x) (clear ?y))
  :effect (and (on ?x ?y) (not (holding ?x))))
 (:action unstack :parameters (?x ?y - block)
  :precondition (and (on ?x ?y) (clear ?x) (hand-empty))
  :effect (and (holding ?x) (not (on ?x ?y)))))
"""

TOWERS_TASK = """(define (problem four-blocks) (:domain towers)
 (:objects a b c d - block)
 (:init (on a b) (on-table b) (on-table c) (on d c))
 (:goal (and (above c a) (above a d) (not (clear b)))))
"""

# Lines are fed from generators through closed switches, unless they are broken, as in PSR. A
# generator that feeds a broken line switches itself off, and so a switch at once does much.
GRID = """(define (domain grid) (:requirements :adl :derived-predicates)
 (:types line switch source)
 (:predicates (between ?s - switch ?a ?b - line) (at ?g - source ?l - line) (closed ?s - switch)
  (running ?g - source) (broken ?l - line) (fed-by ?l - line ?g - source) (fed ?l - line)
  (in-danger ?g - source) (safe))
 (:derived (fed-by ?l - line ?g - source) (and (running ?g) (at ?g ?l)))
 (:derived (fed-by ?l - line ?g - source) (exists (?k - line ?s - switch)
  (and (fed-by ?k ?g) (closed ?s) (or (between ?s ?k ?l) (between ?s ?l ?k)))))
 (:derived (fed ?l - line) (exists (?g - source) (and (fed-by ?l ?g) (not (in-danger ?g)))))
 (:derived (in-danger ?g - source) (exists (?l - line) (and (broken ?l) (fed-by ?l ?g))))
 (:derived (safe) (not (exists (?g - source) (in-danger ?g))))
 (:action open :parameters (?s - switch) :precondition (closed ?s)
  :effect (and (not (closed ?s)) (forall (?g - source) (when (in-danger ?g) (not (running ?g))))))
 (:action close :parameters (?s - switch) :precondition (and (safe) (not (closed ?s)))
  :effect (closed ?s))
 (:action start :parameters (?g - source) :precondition (not (running ?g))
  :effect (running ?g)))
"""

GRID_TASK = """(define (problem two-sources) (:domain grid)
 (:objects l1 l2 l3 l4 l5 - line s12 s23 s34 s45 - switch east west - source)
 (:init (between s12 l1 l2) (between s23 l2 l3) (between s34 l3 l4) (between s45 l4 l5)
  (at east l1) (at west l5) (running east) (running west) (broken l3)
  (closed s12) (closed s23) (closed s45))
 (:goal (and (safe) (fed l1) (fed l2) (fed l4) (fed l5))))
"""

DERIVED_TASKS = {"towers": (TOWERS, TOWERS_TASK), "grid": (GRID, GRID_TASK)}
ADL_TASKS = {
    "briefcase": (BRIEFCASE, BRIEFCASE_TASK),
    "lift": (LIFT, LIFT_TASK),
    "lamps": (LAMPS, LAMPS_TASK),
}
