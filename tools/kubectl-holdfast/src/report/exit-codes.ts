/**
 * The exit code if something is not as it should be: a deployed controller is not at work, or something
 * stands in Holdfast's way.
 */
export const inTheWay = 3;
