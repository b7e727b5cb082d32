/** The unit of a panel's numbers, by Grafana's names. */
export type Unit = 'short' | 's' | 'bytes' | 'ops' | 'reqps' | 'percentunit' | 'bool_yes_no';

export interface Query {
  readonly expr: string;
  /** The name of each series, for example `{{name}}`. */
  readonly legend: string;
}

/** The panel has this color from this value on. */
export interface Threshold {
  readonly from: number;
  readonly color: 'green' | 'yellow' | 'red';
}

/** What differs between panels; `grafana.ts` adds what they have in common. */
export interface Panel {
  /** `stat`: the newest value, in large print; `graph`: all values in the time range. */
  readonly kind: 'stat' | 'graph';
  readonly title: string;
  /** What the numbers mean, and what to do if they are bad. */
  readonly description: string;
  readonly unit: Unit;
  readonly queries: readonly [Query, ...Query[]];
  /** Below the first threshold the panel is green. A graph draws a line at each threshold. */
  readonly thresholds?: readonly Threshold[];
  /** The texts to show in place of certain numbers. */
  readonly texts?: Readonly<Record<number, string>>;
  /** The stat shows the name of its series instead of the value. */
  readonly showsName?: true;
  /** The graph stacks its series, because their sum is meaningful. */
  readonly isStacked?: true;
}

export interface Row {
  /** A question that the person who looks at the dashboard has. */
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
