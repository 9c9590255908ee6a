; Every room dark, the caretaker asleep in the bedroom.
(define (problem good-night)
  (:domain lights)
  (:objects hall kitchen bedroom - room)
  (:init
    (door hall kitchen) (door kitchen hall)
    (door hall bedroom) (door bedroom hall)
    (in hall)
    (lit hall) (lit kitchen) (lit bedroom))
  (:goal (and (asleep) (in bedroom)
              (forall (?r - room) (not (lit ?r))))))
