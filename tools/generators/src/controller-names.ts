/** The names of an app, in the forms that its files use. */
export interface ControllerNames {
  /** `volume-notes` */
  readonly app: string;
  /** `volumeNotes` */
  readonly camel: string;
  /** `VolumeNotes` */
  readonly pascal: string;
  /** `volume_notes` */
  readonly snake: string;
}

/** @throws Error for an invalid name */
export function controllerNames(app: string): ControllerNames {
  // The name is also used in the lease `holdfast-<app>`, and Kubernetes allows labels of at most 63
  // characters.
  if (!/^[a-z]([-a-z0-9]{0,38}[a-z0-9])?$/.test(app) || !app.includes('-')) {
    throw new Error(
      `"${app}" can't be the name of an app: it may be two words or more of small letters and digits, joined by dashes, 40 characters at the most, such as volume-notes`,
    );
  }
  const words = app.split('-');
  const pascal = words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join('');
  return {
    app,
    pascal,
    camel: `${pascal.charAt(0).toLowerCase()}${pascal.slice(1)}`,
    snake: words.join('_'),
  };
}
