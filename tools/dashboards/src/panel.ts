/** What a panel's numbers are, by Grafana's names of units. */
export type Unit = 'short' | 's' | 'bytes' | 'ops' | 'reqps' | 'percentunit' | 'bool_yes_no';

export interface Query {
  readonly expr: string;
  /** The name of each series, for example `{{name}}`. */
  readonly legend: string;
}

/** From this value on the panel has that color. */
export interface Threshold {
  readonly from: number;
  readonly color: 'green' | 'yellow' | 'red';
}

/** A panel, as far as panels differ; `render.ts` has what is common to them all. */
export interface Panel {
  /** `stat`: the newest value, large; `graph`: all values over the time that is looked at. */
  readonly kind: 'stat' | 'graph';
  readonly title: string;
  /** What the numbers mean, and what to do about bad ones. */
  readonly description: string;
  readonly unit: Unit;
  readonly queries: readonly [Query, ...Query[]];
  /** Below the first one the panel is green. A graph draws a line at each. */
  readonly thresholds?: readonly Threshold[];
  /** A number's text instead of it. */
  readonly texts?: Readonly<Record<number, string>>;
  /** A stat shows the name of its series, and not its value. */
  readonly showsName?: true;
  /** A graph's series lie on top of each other, since their sum means something. */
  readonly isStacked?: true;
}

export interface Row {
  /** A question of whoever looks at the dashboard. */
  readonly title: string;
  readonly panels: readonly Panel[];
}

/** The dashboard of one controller. */
export interface DashboardPlan {
  /** The controller, by the name of its folder. */
  readonly app: string;
  readonly description: string;
  readonly rows: readonly Row[];
}
