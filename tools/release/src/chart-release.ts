/** The app's section in the values of the chart. */
const sections: Readonly<Record<string, string>> = {
  'pvc-protection': 'pvcProtection',
  'retroactive-default-sc': 'retroactiveDefaultSc',
  'statefulset-pvc-retention': 'statefulsetPvcRetention',
  'pv-reclaim-honor': 'pvReclaimHonor',
};

/**
 * The chart's values.yaml with `image.tag` of an app's section set to a version. Comments and everything else stay as they are; so does
 * all of the text for a package that is no app.
 *
 * @param app name of the app, which is that of its image.
 * @throws when the section has no tag.
 */
export function retagChart(values: string, app: string, version: string): string {
  const section = sections[app];
  if (section === undefined) {
    return values;
  }
  // Lines that are indented, or empty, belong to the section still.
  const tag = new RegExp(`^(${section}:\\n(?:(?: .*)?\\n)*?  image:\\n(?:    #.*\\n)*    tag: ).*$`, 'm');
  if (!tag.test(values)) {
    throw new Error(`values.yaml of the chart has no ${section}.image.tag to set to ${version}`);
  }
  return values.replace(tag, `$1${version}`);
}

/**
 * Chart.yaml with a higher version of the chart, which installs other images now: major, minor or patch, as the greatest step of the
 * controllers that are released. Without one it stays as it is.
 *
 * @param released the versions before and after, of each controller that is released.
 */
export function raiseChart(
  chart: string,
  released: readonly (readonly [before: string, after: string])[],
): string {
  if (released.length === 0) {
    return chart;
  }
  const differs = (part: 0 | 1): boolean =>
    released.some(([before, after]) => before.split('.')[part] !== after.split('.')[part]);
  return chart.replace(
    /^version: (\d+)\.(\d+)\.(\d+).*$/m,
    (_, major: string, minor: string, patch: string) => {
      if (differs(0)) {
        return `version: ${Number(major) + 1}.0.0`;
      }
      return differs(1)
        ? `version: ${major}.${Number(minor) + 1}.0`
        : `version: ${major}.${minor}.${Number(patch) + 1}`;
    },
  );
}
