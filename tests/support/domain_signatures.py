"""Types, predicates and actions of the well-known domains, as public tasks use them.

Models that were learned on generated tasks fit public tasks only if these agree. The domains are
those of the IPC 2023 learning track where it has them, otherwise the usual STRIPS ones. A type is
written with its supertype unless that is object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from beeline import Domain


class Signature(NamedTuple):
    """Words in a fixed order: a name, then the types of its arguments."""

    types: str
    predicates: str
    actions: str

    def rows(self) -> tuple[set[str], set[str], set[str]]:
        predicates = {row.strip() for row in self.predicates.strip().splitlines()}
        actions = {row.strip() for row in self.actions.strip().splitlines()}
        return set(self.types.split()), predicates, actions


def rows_of(domain: Domain) -> tuple[set[str], set[str], set[str]]:
    """The same rows, read off a domain."""
    types = set()
    for name, above in domain.types.items():
        if name != "object":
            types.add(f"{name}<{above[1]}" if len(above) > 2 else name)
    predicates = {
        " ".join([each.name, *(kinds[0] for kinds in each.parameter_types)])
        for each in domain.predicates.values()
    }
    actions = {
        " ".join([each.name, *(kind for _, kind in each.parameters)]) for each in domain.actions
    }
    return types, predicates, actions


SIGNATURES = {
    "blocksworld": Signature(
        types="",
        predicates="""
            clear object
            on-table object
            arm-empty
            holding object
            on object object
        """,
        actions="""
            pickup object
            putdown object
            stack object object
            unstack object object
        """,
    ),
    "childsnack": Signature(
        types="child bread-portion content-portion sandwich tray place",
        predicates="""
            at_kitchen_bread bread-portion
            at_kitchen_content content-portion
            at_kitchen_sandwich sandwich
            no_gluten_bread bread-portion
            no_gluten_content content-portion
            ontray sandwich tray
            no_gluten_sandwich sandwich
            allergic_gluten child
            not_allergic_gluten child
            served child
            waiting child place
            at tray place
            notexist sandwich
        """,
        actions="""
            make_sandwich_no_gluten sandwich bread-portion content-portion
            make_sandwich sandwich bread-portion content-portion
            put_on_tray sandwich tray
            serve_sandwich_no_gluten sandwich child tray place
            serve_sandwich sandwich child tray place
            move_tray tray place place
        """,
    ),
    "ferry": Signature(
        types="car location",
        predicates="""
            at-ferry location
            at car location
            empty-ferry
            on car
        """,
        actions="""
            sail location location
            board car location
            debark car location
        """,
    ),
    "floortile": Signature(
        types="robot tile color",
        predicates="""
            robot-at robot tile
            up tile tile
            down tile tile
            right tile tile
            left tile tile
            clear tile
            painted tile color
            robot-has robot color
            available-color color
            free-color robot
        """,
        actions="""
            change_color robot color color
            paint_up robot tile tile color
            paint_down robot tile tile color
            move_up robot tile tile
            move_down robot tile tile
            move_right robot tile tile
            move_left robot tile tile
        """,
    ),
    "grid": Signature(
        types="",
        predicates="""
            conn object object
            key-shape object object
            lock-shape object object
            at object object
            at-robot object
            place object
            key object
            shape object
            locked object
            holding object
            open object
            arm-empty
        """,
        actions="""
            unlock object object object object
            move object object
            pickup object object
            pickup-and-loose object object object
            putdown object object
        """,
    ),
    "gripper": Signature(
        types="",
        predicates="""
            room object
            ball object
            gripper object
            at-robby object
            at object object
            free object
            carry object object
        """,
        actions="""
            move object object
            pick object object object
            drop object object object
        """,
    ),
    "logistics": Signature(
        types="",
        predicates="""
            obj object
            truck object
            location object
            airplane object
            city object
            airport object
            at object object
            in object object
            in-city object object
        """,
        actions="""
            load-truck object object object
            load-airplane object object object
            unload-truck object object object
            unload-airplane object object object
            drive-truck object object object object
            fly-airplane object object object
        """,
    ),
    "maze": Signature(
        types="cell direction teleport",
        predicates="""
            at cell
            adjacent cell cell direction
            end cell teleport
        """,
        actions="""
            step cell cell direction
            jump cell cell cell direction teleport
        """,
    ),
    "miconic": Signature(
        types="passenger floor",
        predicates="""
            origin passenger floor
            destin passenger floor
            above floor floor
            boarded passenger
            served passenger
            lift-at floor
        """,
        actions="""
            board floor passenger
            depart floor passenger
            up floor floor
            down floor floor
        """,
    ),
    "npuzzle": Signature(
        types="position tile",
        predicates="""
            at tile position
            neighbor position position
            empty position
        """,
        actions="""
            move tile position position
        """,
    ),
    "rovers": Signature(
        types="rover waypoint store camera mode lander objective",
        predicates="""
            at rover waypoint
            at_lander lander waypoint
            can_traverse rover waypoint waypoint
            equipped_for_soil_analysis rover
            equipped_for_rock_analysis rover
            equipped_for_imaging rover
            empty store
            have_rock_analysis rover waypoint
            have_soil_analysis rover waypoint
            full store
            calibrated camera rover
            supports camera mode
            visible waypoint waypoint
            have_image rover objective mode
            communicated_soil_data waypoint
            communicated_rock_data waypoint
            communicated_image_data objective mode
            at_soil_sample waypoint
            at_rock_sample waypoint
            visible_from objective waypoint
            store_of store rover
            calibration_target camera objective
            on_board camera rover
        """,
        actions="""
            navigate rover waypoint waypoint
            sample_soil rover store waypoint
            sample_rock rover store waypoint
            drop rover store
            calibrate rover camera objective waypoint
            take_image rover waypoint objective camera mode
            communicate_soil_data rover lander waypoint waypoint waypoint
            communicate_rock_data rover lander waypoint waypoint waypoint
            communicate_image_data rover lander objective mode waypoint waypoint
        """,
    ),
    "satellite": Signature(
        types="satellite direction instrument mode",
        predicates="""
            on_board instrument satellite
            supports instrument mode
            pointing satellite direction
            power_avail satellite
            power_on instrument
            calibrated instrument
            have_image direction mode
            calibration_target instrument direction
        """,
        actions="""
            turn_to satellite direction direction
            switch_on instrument satellite
            switch_off instrument satellite
            calibrate satellite instrument direction
            take_image satellite direction instrument mode
        """,
    ),
    "scanalyzer": Signature(
        types="segment car",
        predicates="""
            on car segment
            analyzed car
            cycle-2 segment segment
            cycle-4 segment segment segment segment
            cycle-2-with-analysis segment segment
            cycle-4-with-analysis segment segment segment segment
        """,
        actions="""
            analyze-2 segment segment car car
            analyze-4 segment segment segment segment car car car car
            rotate-2 segment segment car car
            rotate-4 segment segment segment segment car car car car
        """,
    ),
    "sokoban": Signature(
        types="location direction box",
        predicates="""
            at-robot location
            at box location
            adjacent location location direction
            clear location
        """,
        actions="""
            move location location direction
            push location location location direction box
        """,
    ),
    "spanner": Signature(
        types="location locatable man<locatable nut<locatable spanner<locatable",
        predicates="""
            at locatable location
            carrying man spanner
            usable spanner
            link location location
            tightened nut
            loose nut
        """,
        actions="""
            walk location location man
            pickup_spanner location spanner man
            tighten_nut location spanner man nut
        """,
    ),
    "transport": Signature(
        types="size location locatable vehicle<locatable package<locatable",
        predicates="""
            road location location
            at locatable location
            in package vehicle
            capacity vehicle size
            capacity-predecessor size size
        """,
        actions="""
            drive vehicle location location
            pick-up vehicle location package size size
            drop vehicle location package size size
        """,
    ),
    "visitall": Signature(
        types="place",
        predicates="""
            connected place place
            at-robot place
            visited place
        """,
        actions="""
            move place place
        """,
    ),
    "warehouse": Signature(
        types="location direction",
        predicates="""
            at-robot location
            box location
            clear location
            adjacent location location direction
        """,
        actions="""
            move location location direction
            push location location location direction
        """,
    ),
}
