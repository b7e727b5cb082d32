export const serverNames = ['embedded', 'real'] as const;
export type ServerName = (typeof serverNames)[number];

export const figureNames = [
  'firstStartSeconds',
  'startSeconds',
  'firstScenarioSeconds',
  'scenarioSeconds',
  'creationsPerSecond',
  'creationsByManyPerSecond',
  'patchesPerSecond',
  'patchesByManyPerSecond',
  'creationsInProcessPerSecond',
  'patchesInProcessPerSecond',
  'eventsPerSecond',
  'medianDelaySeconds',
  'p99DelaySeconds',
  'cpuSecondsPerThousandWrites',
] as const;
export type ServerFigure = (typeof figureNames)[number];

/** The results of one server in one round. The real server has no in-process figures. */
export interface ServerResult {
  readonly round: number;
  readonly server: ServerName;
  readonly figures: Readonly<Partial<Record<ServerFigure, number>>>;
}
