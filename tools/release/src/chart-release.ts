/** The section of each app in the chart's values. */
const sections: Readonly<Record<string, string>> = {
  'pvc-protection': 'pvcProtection',
  'retroactive-default-sc': 'retroactiveDefaultSc',
  'statefulset-pvc-retention': 'statefulsetPvcRetention',
  'pv-reclaim-honor': 'pvReclaimHonor',
};

/**
 * Returns the chart's values.yaml with `image.tag` in an app's section set to a version. Everything else,
 * including comments, stays as it is. If the package is not an app, the whole text stays as it is.
 *
 * @param app name of the app, which is also that of its image
 * @throws if the section has no tag
 */
export function retagChart(values: string, app: string, version: string): string {
  const section = sections[app];
  if (section === undefined) {
    return values;
  }
  // The section continues over lines that are indented or empty.
  const tag = new RegExp(`^(${section}:\\n(?:(?: .*)?\\n)*?  image:\\n(?:    #.*\\n)*    tag: ).*$`, 'm');
  if (!tag.test(values)) {
    throw new Error(`values.yaml of the chart has no ${section}.image.tag to set to ${version}`);
  }
  return values.replace(tag, `$1${version}`);
}

/**
 * Returns Chart.yaml with a higher chart version, because the chart now installs other images. The step
 * (major, minor or patch) is the largest one among the released controllers. If none is released, the text
 * stays as it is.
 *
 * @param released the versions of each released controller, before and after
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
