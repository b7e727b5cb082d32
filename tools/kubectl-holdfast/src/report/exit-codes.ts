/** Exit code where something is not as it should be: a controller that is deployed is not at work, or something stands in Holdfast's way. */
export const inTheWay = 3;
