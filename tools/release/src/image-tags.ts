/**
 * The text with the tag of an app's image, as manifests and pages name it, set to a version. What stands before the name
 * makes no difference; other images and other tags of the text stay as they are.
 *
 * @param app name of the app, which is that of its image.
 */
export function retag(text: string, app: string, version: string): string {
  return text.replaceAll(
    new RegExp(`(/${app}:)\\d+\\.\\d+\\.\\d+(?:-[0-9A-Za-z.-]*[0-9A-Za-z])?`, 'g'),
    `$1${version}`,
  );
}
