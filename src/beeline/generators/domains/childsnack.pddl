; Sandwiches for children, some of whom must not eat gluten.
(define (domain childsnack)
 (:requirements :strips :typing :negative-preconditions)
 (:types child bread-portion content-portion sandwich tray place - object)
 (:constants kitchen - place)
 (:predicates
  (at_kitchen_bread ?bread - bread-portion)
  (at_kitchen_content ?content - content-portion)
  (at_kitchen_sandwich ?sandwich - sandwich)
  (no_gluten_bread ?bread - bread-portion)
  (no_gluten_content ?content - content-portion)
  (ontray ?sandwich - sandwich ?tray - tray)
  (no_gluten_sandwich ?sandwich - sandwich)
  (allergic_gluten ?child - child)
  (not_allergic_gluten ?child - child)
  (served ?child - child)
  (waiting ?child - child ?place - place)
  (at ?tray - tray ?place - place)
  (notexist ?sandwich - sandwich))

 (:action make_sandwich_no_gluten
  :parameters (?sandwich - sandwich ?bread - bread-portion ?content - content-portion)
  :precondition (and (notexist ?sandwich)
   (at_kitchen_bread ?bread) (no_gluten_bread ?bread)
   (at_kitchen_content ?content) (no_gluten_content ?content))
  :effect (and (at_kitchen_sandwich ?sandwich) (no_gluten_sandwich ?sandwich)
   (not (notexist ?sandwich))
   (not (at_kitchen_bread ?bread)) (not (at_kitchen_content ?content))))

 (:action make_sandwich
  :parameters (?sandwich - sandwich ?bread - bread-portion ?content - content-portion)
  :precondition (and (notexist ?sandwich)
   (at_kitchen_bread ?bread) (at_kitchen_content ?content))
  :effect (and (at_kitchen_sandwich ?sandwich)
   (not (notexist ?sandwich))
   (not (at_kitchen_bread ?bread)) (not (at_kitchen_content ?content))))

 (:action put_on_tray
  :parameters (?sandwich - sandwich ?tray - tray)
  :precondition (and (at_kitchen_sandwich ?sandwich) (at ?tray kitchen))
  :effect (and (ontray ?sandwich ?tray) (not (at_kitchen_sandwich ?sandwich))))

 (:action serve_sandwich_no_gluten
  :parameters (?sandwich - sandwich ?child - child ?tray - tray ?place - place)
  :precondition (and (allergic_gluten ?child) (waiting ?child ?place)
   (no_gluten_sandwich ?sandwich) (ontray ?sandwich ?tray) (at ?tray ?place))
  :effect (and (served ?child) (not (ontray ?sandwich ?tray))))

 (:action serve_sandwich
  :parameters (?sandwich - sandwich ?child - child ?tray - tray ?place - place)
  :precondition (and (not_allergic_gluten ?child) (waiting ?child ?place)
   (ontray ?sandwich ?tray) (at ?tray ?place))
  :effect (and (served ?child) (not (ontray ?sandwich ?tray))))

 (:action move_tray
  :parameters (?tray - tray ?from - place ?to - place)
  :precondition (and (at ?tray ?from) (not (at ?tray ?to)))
  :effect (and (at ?tray ?to) (not (at ?tray ?from)))))
