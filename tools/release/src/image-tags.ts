/**
 * Returns the text with the tag of an app's image, as manifests and pages write it, set to a version. It does
 * not matter what precedes the image's name. Other images and other tags in the text stay as they are.
 *
 * @param app name of the app, which is also that of its image
 */
export function retag(text: string, app: string, version: string): string {
  return text.replaceAll(
    new RegExp(`(/${app}:)\\d+\\.\\d+\\.\\d+(?:-[0-9A-Za-z.-]*[0-9A-Za-z])?`, 'g'),
    `$1${version}`,
  );
}
