import {
  BigValueColorMode,
  BigValueGraphMode,
  BigValueTextMode,
  GraphThresholdsStyleConfigBuilder,
  GraphThresholdsStyleMode,
  LegendDisplayMode,
  LegendPlacement,
  ReduceDataOptionsBuilder,
  SortOrder,
  StackingConfigBuilder,
  StackingMode,
  TooltipDisplayMode,
  VisibilityMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import {
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DashboardLinkType,
  DatasourceVariableBuilder,
  MappingType,
  QueryVariableBuilder,
  RowBuilder,
  ThresholdsConfigBuilder,
  ThresholdsMode,
  VariableHide,
  VariableRefresh,
  VariableSort,
  type Dashboard,
  type ValueMapping,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as GraphBuilder } from '@grafana/grafana-foundation-sdk/timeseries';
import type { DashboardPlan, Panel } from './panel.ts';

/** The width of the grid. */
const columns = 24;

/** The height of the panels, and how many of them may be in one line. */
const shapes = { stat: { height: 4, atMost: 6 }, graph: { height: 8, atMost: 2 } } as const;

const datasource = { type: 'prometheus', uid: '${datasource}' };

/** Returns the dashboard in the form that Grafana 10 and later can import from a file. */
export function toGrafana({ app, description, rows }: DashboardPlan): Dashboard {
  const dashboard = new DashboardBuilder(`Holdfast / ${app}`)
    .uid(`holdfast-${app}`)
    .description(description)
    .tags(['holdfast', 'kubernetes', 'storage'])
    .timezone('browser')
    .tooltip(DashboardCursorSync.Crosshair)
    .time({ from: 'now-6h', to: 'now' })
    .refresh('1m')
    .link(
      new DashboardLinkBuilder('Holdfast')
        .type(DashboardLinkType.Dashboards)
        .tags(['holdfast'])
        .asDropdown(true)
        .includeVars(false)
        .keepTime(true),
    );
  for (const variable of variables(app)) {
    dashboard.withVariable(variable);
  }
  let id = 0;
  for (const { title, panels } of rows) {
    id += 1;
    dashboard.withRow(new RowBuilder(title).id(id));
    for (const { panel, width } of [...inLines('stat', panels), ...inLines('graph', panels)]) {
      id += 1;
      dashboard.withPanel(toPanel(panel).id(id).span(width).height(shapes[panel.kind].height));
    }
  }
  return dashboard.build();
}

/**
 * Arranges the panels of a kind in as few lines as possible. The lines have about the same number of panels,
 * and each is full.
 */
function inLines(
  kind: Panel['kind'],
  panels: readonly Panel[],
): readonly { readonly panel: Panel; readonly width: number }[] {
  const chosen = panels.filter((panel) => panel.kind === kind);
  const lines = Math.ceil(chosen.length / shapes[kind].atMost);
  const perLine = Math.ceil(chosen.length / lines);
  return chosen.map((panel, index) => {
    const place = index % perLine;
    const inLine = Math.min(perLine, chosen.length - (index - place));
    const edge = (at: number): number => Math.floor((columns * at) / inLine);
    return { panel, width: edge(place + 1) - edge(place) };
  });
}

/**
 * The dashboard's variables. `instance` is used by the queries (see query.ts) and hidden. For namespace and
 * pod, "all" stands for `.*`, so that targets without such a label are included.
 */
function variables(app: string) {
  const choice = (name: string, label: string, matchers: string): QueryVariableBuilder =>
    new QueryVariableBuilder(name)
      .label(label)
      .datasource(datasource)
      .query({ qryType: 1, query: `label_values(holdfast_build_info{${matchers}},${name})`, refId: name })
      .definition(`label_values(holdfast_build_info{${matchers}},${name})`)
      .refresh(VariableRefresh.OnTimeRangeChanged)
      .sort(VariableSort.AlphabeticalAsc)
      .multi(true)
      .includeAll(true)
      .current({ text: ['All'], value: ['$__all'] });
  const ofApp = `app="${app}"`;
  const ofNamespace = `${ofApp},namespace=~"$namespace"`;
  const ofJob = `${ofNamespace},job=~"$job"`;
  return [
    new DatasourceVariableBuilder('datasource').label('Data source').type('prometheus'),
    choice('namespace', 'Namespace', ofApp).allValue('.*'),
    choice('job', 'Job', ofNamespace),
    choice('pod', 'Pod', ofJob).allValue('.*'),
    choice('instance', 'Instance', `${ofJob},pod=~"$pod"`).hide(VariableHide.HideVariable),
  ];
}

function toPanel(panel: Panel): GraphBuilder | StatBuilder {
  const made = panel.kind === 'graph' ? toGraph(panel) : toStat(panel);
  made
    .title(panel.title)
    .description(panel.description)
    .datasource(datasource)
    .unit(panel.unit)
    .min(0)
    .thresholds(toThresholds(panel));
  if (panel.texts !== undefined) {
    made.mappings(toMappings(panel.texts));
  }
  for (const [index, { expr, legend }] of panel.queries.entries()) {
    const query = new DataqueryBuilder()
      .refId(String.fromCharCode('A'.charCodeAt(0) + index))
      .datasource(datasource)
      .expr(expr)
      .legendFormat(legend);
    made.withTarget(panel.kind === 'graph' ? query.range() : query.instant());
  }
  return made;
}

function toGraph({ thresholds, isStacked }: Panel): GraphBuilder {
  const graph = new GraphBuilder()
    .lineWidth(1)
    .fillOpacity(isStacked === true ? 30 : 10)
    .showPoints(VisibilityMode.Never)
    .legend(
      new VizLegendOptionsBuilder()
        .showLegend(true)
        .displayMode(LegendDisplayMode.Table)
        .placement(LegendPlacement.Bottom)
        .calcs(['lastNotNull', 'max']),
    )
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.Descending))
    .thresholdsStyle(
      new GraphThresholdsStyleConfigBuilder().mode(
        thresholds === undefined ? GraphThresholdsStyleMode.Off : GraphThresholdsStyleMode.Dashed,
      ),
    );
  return isStacked === true
    ? graph.stacking(new StackingConfigBuilder().mode(StackingMode.Normal).group('A'))
    : graph;
}

function toStat({ thresholds, showsName }: Panel): StatBuilder {
  return new StatBuilder()
    .graphMode(BigValueGraphMode.None)
    .colorMode(thresholds === undefined ? BigValueColorMode.None : BigValueColorMode.Background)
    .textMode(showsName === true ? BigValueTextMode.Name : BigValueTextMode.Auto)
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']));
}

function toThresholds({ thresholds = [] }: Panel): ThresholdsConfigBuilder {
  // If the value of the first step is null, Grafana takes it for minus infinity.
  return new ThresholdsConfigBuilder()
    .mode(ThresholdsMode.Absolute)
    .steps([
      { value: null, color: 'green' },
      ...thresholds.map(({ from, color }) => ({ value: from, color })),
    ]);
}

function toMappings(texts: Readonly<Record<number, string>>): ValueMapping[] {
  const options = Object.fromEntries(
    Object.entries(texts).map(([value, text], index) => [value, { text, index }]),
  );
  return [{ type: MappingType.ValueToText, options }];
}
