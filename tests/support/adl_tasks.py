"""Small tasks with conditional effects or derived predicates, in the manner of well-known domains.

Most of those without derived predicates have universal conditions: with a static premise, nested,
negated, in effects, in goals.
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

# Whoever makes a product needs all orders that include it to be open; orders take places on stacks.
STACKS = """(define (domain stacks) (:requirements :adl) (:types order product count)
 (:predicates (includes ?o - order ?p - product) (waiting ?o - order) (started ?o - order)
  (shipped ?o - order) (made ?p - product) (free ?s - count) (next ?s ?n - count))
 (:action make :parameters (?p - product) :precondition (and (not (made ?p))
   (forall (?o - order) (imply (includes ?o ?p) (started ?o)))) :effect (made ?p))
 (:action start :parameters (?o - order ?s ?n - count)
  :precondition (and (waiting ?o) (free ?s) (next ?n ?s))
  :effect (and (not (waiting ?o)) (started ?o) (not (free ?s)) (free ?n)))
 (:action ship :parameters (?o - order ?s ?n - count) :precondition (and (started ?o)
   (forall (?p - product) (imply (includes ?o ?p) (made ?p))) (free ?s) (next ?s ?n))
  :effect (and (not (started ?o)) (shipped ?o) (not (free ?s)) (free ?n)))
 (:action open :parameters (?s ?n - count) :precondition (and (free ?s) (next ?s ?n))
  :effect (and (not (free ?s)) (free ?n))))
"""

STACKS_TASK = """(define (problem four-orders) (:domain stacks)
 (:objects a b c d - order p q r - product n0 n1 n2 n3 - count)
 (:init (includes a p) (includes b p) (includes b q) (includes c q) (includes c r) (includes d r)
  (waiting a) (waiting b) (waiting c) (waiting d) (free n0) (next n0 n1) (next n1 n2) (next n2 n3))
 (:goal (forall (?o - order) (shipped ?o))))
"""

# What stands nearer to the door of the truck is in the way of what stands behind it.
LORRY = """(define (domain lorry) (:requirements :adl) (:types area place time parcel)
 (:predicates (at ?x - parcel ?p - place) (here ?p - place) (in ?x - parcel ?a - area)
  (free ?a - area) (nearer ?a ?b - area) (now ?t - time) (next ?s ?t - time) (le ?s ?t - time)
  (delivered ?x - parcel ?p - place ?t - time))
 (:action load :parameters (?x - parcel ?a - area ?p - place)
  :precondition (and (here ?p) (at ?x ?p) (free ?a)
   (forall (?b - area) (imply (nearer ?b ?a) (free ?b))))
  :effect (and (in ?x ?a) (not (at ?x ?p)) (not (free ?a))))
 (:action unload :parameters (?x - parcel ?a - area ?p - place)
  :precondition (and (here ?p) (in ?x ?a) (forall (?b - area) (imply (nearer ?b ?a) (free ?b))))
  :effect (and (at ?x ?p) (free ?a) (not (in ?x ?a))))
 (:action drive :parameters (?p ?q - place ?s ?t - time)
  :precondition (and (here ?p) (not (= ?p ?q)) (now ?s) (next ?s ?t))
  :effect (and (here ?q) (not (here ?p)) (now ?t) (not (now ?s))))
 (:action deliver :parameters (?x - parcel ?p - place ?s ?t - time)
  :precondition (and (at ?x ?p) (now ?s) (le ?s ?t))
  :effect (and (delivered ?x ?p ?t) (not (at ?x ?p)))))
"""

LORRY_TASK = """(define (problem two-parcels) (:domain lorry)
 (:objects a b - area here there - place x y - parcel t0 t1 t2 t3 - time)
 (:init (at x here) (at y there) (here here) (free a) (free b) (nearer a b) (now t0) (next t0 t1)
  (next t1 t2) (next t2 t3) (le t1 t1) (le t1 t2) (le t2 t2) (le t1 t3) (le t2 t3) (le t3 t3))
 (:goal (and (delivered x there t1) (exists (?t - time) (delivered y here ?t)))))
"""

# Passengers with wishes, as in the last Miconic; one kind has no members.
WISHES = """(define (domain wishes) (:requirements :adl)
 (:types passenger floor - object nonstop vip guarded guard a-team b-team - passenger)
 (:predicates (origin ?p - passenger ?f - floor) (destination ?p - passenger ?f - floor)
  (above ?f ?g - floor) (aboard ?p - passenger) (served ?p - passenger) (lift-at ?f - floor)
  (barred ?p - passenger ?f - floor))
 (:action stop :parameters (?f - floor) :precondition (and (lift-at ?f)
   (imply (exists (?p - a-team) (or (and (not (served ?p)) (origin ?p ?f))
                                    (and (aboard ?p) (not (destination ?p ?f)))))
    (forall (?q - b-team) (and (or (destination ?q ?f) (not (aboard ?q)))
                               (or (served ?q) (not (origin ?q ?f))))))
   (imply (exists (?p - guarded) (or (and (origin ?p ?f) (not (served ?p)))
                                     (and (aboard ?p) (not (destination ?p ?f)))))
    (exists (?q - guard) (or (and (aboard ?q) (not (destination ?q ?f)))
                             (and (not (served ?q)) (origin ?q ?f)))))
   (forall (?p - nonstop) (imply (aboard ?p) (destination ?p ?f)))
   (or (forall (?p - vip) (served ?p))
    (exists (?p - vip) (or (origin ?p ?f) (destination ?p ?f))))
   (not (exists (?p - passenger) (and (aboard ?p) (barred ?p ?f)))))
  :effect (and
   (forall (?p - passenger) (when (and (aboard ?p) (destination ?p ?f))
    (and (not (aboard ?p)) (served ?p))))
   (forall (?p - passenger) (when (and (origin ?p ?f) (not (served ?p))) (aboard ?p)))))
 (:action go :parameters (?f ?g - floor)
  :precondition (and (lift-at ?f) (or (above ?f ?g) (above ?g ?f)))
  :effect (and (lift-at ?g) (not (lift-at ?f)))))
"""

WISHES_TASK = """(define (problem five-passengers) (:domain wishes)
 (:objects p - passenger v - vip w - guarded g - guard a - a-team b - b-team f0 f1 f2 - floor)
 (:init (above f0 f1) (above f0 f2) (above f1 f2) (lift-at f0) (origin p f0) (destination p f2)
  (origin v f1) (destination v f0) (origin w f0) (destination w f1) (origin g f0)
  (destination g f2) (origin a f0) (destination a f1) (origin b f2) (destination b f0)
  (barred v f2))
 (:goal (not (exists (?p - passenger) (not (served ?p))))))
"""

# Machines and parts that are busy until the clock ticks, as in Schedule.
WORKSHOP = """(define (domain workshop) (:requirements :adl) (:types part machine surface colour)
 (:constants lathe polisher sprayer - machine rough polished - surface)
 (:predicates (busy ?m - machine) (taken ?x - part) (surface ?x - part ?s - surface)
  (painted ?x - part ?c - colour) (round ?x - part))
 (:action turn :parameters (?x - part) :precondition (and (not (busy lathe)) (not (taken ?x)))
  :effect (and (busy lathe) (taken ?x) (round ?x) (surface ?x rough)
   (forall (?s - surface) (when (and (surface ?x ?s) (not (= ?s rough))) (not (surface ?x ?s))))
   (forall (?c - colour) (when (painted ?x ?c) (not (painted ?x ?c))))))
 (:action polish :parameters (?x - part)
  :precondition (and (not (busy polisher)) (not (taken ?x))
   (forall (?c - colour) (not (painted ?x ?c))))
  :effect (and (busy polisher) (taken ?x) (surface ?x polished)
   (forall (?s - surface) (when (and (surface ?x ?s) (not (= ?s polished)))
    (not (surface ?x ?s))))))
 (:action paint :parameters (?x - part ?c - colour)
  :precondition (and (not (busy sprayer)) (not (taken ?x)))
  :effect (and (busy sprayer) (taken ?x) (painted ?x ?c)
   (forall (?d - colour) (when (and (painted ?x ?d) (not (= ?c ?d))) (not (painted ?x ?d))))))
 (:action tick :parameters () :precondition (exists (?m - machine) (busy ?m))
  :effect (and (forall (?x - part) (when (taken ?x) (not (taken ?x))))
   (forall (?m - machine) (when (busy ?m) (not (busy ?m)))))))
"""

WORKSHOP_TASK = """(define (problem two-parts) (:domain workshop)
 (:objects x y - part red blue - colour)
 (:init (surface x polished) (painted x red) (surface y rough))
 (:goal (and (round x) (surface x polished) (painted y blue) (not (exists (?p - part)
  (painted ?p red))))))
"""

# A goal with a choice, one side of which is universal; whether all shops are shut decides effects.
ERRANDS = """(define (domain errands) (:requirements :adl) (:types place item)
 (:predicates (at ?p - place) (road ?a ?b - place) (sells ?p - place ?i - item) (have ?i - item)
  (shut ?p - place) (late))
 (:action walk :parameters (?a ?b - place)
  :precondition (and (at ?a) (or (road ?a ?b) (road ?b ?a))) :effect (and (at ?b) (not (at ?a))))
 (:action buy :parameters (?i - item)
  :precondition (exists (?p - place) (and (at ?p) (sells ?p ?i) (not (shut ?p)))) :effect (have ?i))
 (:action wait :parameters () :effect (and
  (when (forall (?p - place) (or (shut ?p) (at ?p))) (late))
  (forall (?p - place) (when (at ?p) (shut ?p)))
  (forall (?p - place) (when (and (shut ?p) (not (at ?p)) (late)) (not (shut ?p)))))))
"""

ERRANDS_TASK = """(define (problem choice) (:domain errands)
 (:objects home mill shop - place bread flour milk - item)
 (:init (at home) (road home mill) (road mill shop) (sells mill flour) (sells shop milk)
  (sells shop bread))
 (:goal (or (and (late) (forall (?i - item) (have ?i)))
  (and (have flour) (not (exists (?p - place) (and (at ?p) (not (sells ?p bread)))))))))
"""

DERIVED_TASKS = {"towers": (TOWERS, TOWERS_TASK), "grid": (GRID, GRID_TASK)}
ADL_TASKS = {
    "briefcase": (BRIEFCASE, BRIEFCASE_TASK),
    "lift": (LIFT, LIFT_TASK),
    "lamps": (LAMPS, LAMPS_TASK),
    "stacks": (STACKS, STACKS_TASK),
    "lorry": (LORRY, LORRY_TASK),
    "wishes": (WISHES, WISHES_TASK),
    "workshop": (WORKSHOP, WORKSHOP_TASK),
    "errands": (ERRANDS, ERRANDS_TASK),
}
