import type { Equivalent } from './equivalents.ts';

/** The mutants of the files in `targets.ts` that survive, each with the reason. */
export const knownEquivalents: readonly Equivalent[] = [
  {
    file: 'packages/core/src/finalizers.ts',
    before: 'const index = object.metadata.finalizers?.indexOf(finalizer) ?? -1;',
    after: 'const index = object.metadata.finalizers?.lastIndexOf(finalizer) ?? -1;',
    why: 'where a finalizer is there twice, the list is the same without the first and without the last',
  },
  {
    file: 'packages/core/src/finalizers.ts',
    before: 'const index = object.metadata.finalizers?.indexOf(finalizer) ?? -1;',
    after: 'const index = object.metadata.finalizers?.indexOf(finalizer) ?? -2;',
    why: 'only asked whether it is below 0',
  },
  {
    file: 'packages/core/src/owner-references.ts',
    before: 'return object.metadata.ownerReferences?.find((reference) => reference.controller === true);',
    after: 'return object.metadata.ownerReferences?.findLast((reference) => reference.controller === true);',
    why: 'the API server allows one controller at the most',
  },
  {
    file: 'packages/core/src/resource-version.ts',
    before: 'return version.length === other.length ? version < other : version.length < other.length;',
    after: 'return version.length === other.length ? version < other : version.length <= other.length;',
    why: 'the lengths are not equal there',
  },
  {
    file: 'apps/statefulset-pvc-retention/src/remember.ts',
    before: 'if (markOf(claim) === undefined) {',
    after: 'if (false) {',
    why: 'no decision removes the mark of a claim that has none; the check saves a decision on each change of other claims',
  },
  {
    file: 'apps/statefulset-pvc-retention/src/decide/decide.ts',
    before: "shared: snapshot.shared || live.rival === 'there',",
    after: "shared: live.rival === 'there',",
    why: 'where the cache shows that the name is shared, all that needs a look is a confirmation, which is the same for a name that is not',
  },
  {
    file: 'apps/statefulset-pvc-retention/src/decide/decide.ts',
    before: 'return byCache.operation === byServer.operation && byCache.owner?.uid === byServer.owner?.uid;',
    after: 'return byCache.owner?.uid === byServer.owner?.uid;',
    why: 'both are of the same references: with the same owner the operation is the same',
  },
  {
    file: 'apps/statefulset-pvc-retention/src/decide/give-way.ts',
    before:
      'const patience: Readonly<Record<StockController, number>> = { absent: 0, unknown: 20_000, atWork: 300_000 };',
    after:
      'const patience: Readonly<Record<StockController, number>> = { absent: 1, unknown: 20_000, atWork: 300_000 };',
    why: 'never read: beside no stock controller nothing is left to it',
  },
  {
    file: 'apps/statefulset-pvc-retention/src/decide/look-back.ts',
    before: 'const added = ours.find((reference) => namesPod(reference, snapshot.podName));',
    after: 'const added = ours.findLast((reference) => namesPod(reference, snapshot.podName));',
    why: 'all of ours have the controller flag, which the API server allows once',
  },
  {
    file: 'apps/pvc-protection/src/decide.ts',
    before:
      "return (claim.spec?.volumeName ?? '') !== '' && isScheduled(pod) && isTerminated(pod) && names(pod, claim);",
    after: "return (claim.spec?.volumeName ?? '') !== '' && isScheduled(pod) && names(pod, claim);",
    why: 'asked only where no pod uses the claim, so that those which are scheduled and name it have terminated',
  },
  {
    file: 'apps/pvc-protection/src/decide.ts',
    before: 'return isTerminating(pod) && pod.metadata.deletionGracePeriodSeconds === 0;',
    after: 'return pod.metadata.deletionGracePeriodSeconds === 0;',
    why: 'the API server sets both, or neither',
  },
  {
    file: 'apps/pv-reclaim-honor/src/storage-identity.ts',
    before: 'return nfsStorage(handle, {}, true);',
    after: 'return nfsStorage(handle, {}, false);',
    why: 'without attributes only the handle counts',
  },
  {
    file: 'apps/pv-reclaim-honor/src/storage-identity.ts',
    before: 'return smbStorage(handle, {}, true);',
    after: 'return smbStorage(handle, {}, false);',
    why: 'without attributes only the handle counts',
  },
  {
    file: 'apps/pv-reclaim-honor/src/storage-identity.ts',
    before: "parts.length < 3 ? (/^([^/]+)\\/(.*)\\/([^/]+)$/s.exec(handle) ?? []) : ['', ...parts];",
    after: "parts.length < 3 ? (/^([^/]+)\\/(.*)\\/([^/]+)$/s.exec(handle) ?? []) : ['mutated', ...parts];",
    why: 'the first is what the whole pattern matches, and nothing reads it',
  },
  {
    file: 'apps/pv-reclaim-honor/src/storage-identity.ts',
    before: 'return deleted.length < mounted.length ? deleted : mounted;',
    after: 'return deleted.length <= mounted.length ? deleted : mounted;',
    why: 'of two overlapping storages with as many steps, each is the other',
  },
  {
    file: 'apps/pv-reclaim-honor/src/storage-identity.ts',
    before: 'const driver = plugin === undefined ? undefined : driverOfPlugin(plugin);',
    after: 'const driver = driverOfPlugin(plugin);',
    why: 'no plugin is known by undefined',
  },
  {
    file: 'apps/pv-reclaim-honor/src/storage-identity.ts',
    before: "const field = Object.entries(plugins).find(([, name]) => name === plugin)?.[0] ?? '';",
    after: "const field = Object.entries(plugins).findLast(([, name]) => name === plugin)?.[0] ?? '';",
    why: 'each plugin has one field',
  },
  {
    file: 'apps/pv-reclaim-honor/src/storage-identity.ts',
    before: 'return gceIdentity(handleOr(`disks/${gcePersistentDisk.pdName}`, () => gceHandle(volume)));',
    after: 'return gceIdentity(handleOr(`${gcePersistentDisk.pdName}`, () => gceHandle(volume)));',
    why: 'a name that is no handle is taken as it is, and the name of a disk has no slash',
  },
  {
    file: 'apps/pv-reclaim-honor/src/storage-identity.ts',
    before: "return [spec?.hostPath, spec?.local].map((source) => messageOf(source)?.['path']).find(isText);",
    after:
      "return [spec?.hostPath, spec?.local].map((source) => messageOf(source)?.['path']).findLast(isText);",
    why: 'a volume has one source',
  },
  {
    file: 'apps/pv-reclaim-honor/src/storage-identity.ts',
    before: 'const [shorter, longer] = one.length <= other.length ? [one, other] : [other, one];',
    after: 'const [shorter, longer] = one.length < other.length ? [one, other] : [other, one];',
    why: 'of two that are equally long either may be called the shorter',
  },
  {
    file: 'apps/statefulset-pvc-retention/src/decide/missed-scale-down.ts',
    before: 'ours.some(({ uid }) => uid === workload.uid) ||',
    after: 'ours.some(({ uid }) => true) ||',
    why: 'the rules before have answered for a reference to another workload or to a pod that is gone',
  },
  {
    file: 'apps/statefulset-pvc-retention/src/decide/references.ts',
    before: 'return metadata.ownerReferences?.find(',
    after: 'return metadata.ownerReferences?.findLast(',
    why: 'the API server allows one controller at the most',
  },
  {
    file: 'apps/statefulset-pvc-retention/src/decide/references.ts',
    before: "const stem = metadata.name.slice(0, Math.max(0, metadata.name.lastIndexOf('-')));",
    after: "const stem = metadata.name.slice(1, Math.max(0, metadata.name.lastIndexOf('-')));",
    why: "no name begins with '-', so that the first character is of the template",
  },
  {
    file: 'apps/statefulset-pvc-retention/src/decide/references.ts',
    before: "const stem = metadata.name.slice(0, Math.max(0, metadata.name.lastIndexOf('-')));",
    after: "const stem = metadata.name.slice(0, Math.max(1, metadata.name.lastIndexOf('-')));",
    why: "one character does not end with '-' and a name",
  },
  {
    file: 'apps/statefulset-pvc-retention/src/decide/references.ts',
    before: "return apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/')));",
    after: "return apiVersion.slice(0, Math.max(0, apiVersion.lastIndexOf('/')));",
    why: 'there is one slash at the most',
  },
  {
    file: 'apps/statefulset-pvc-retention/src/decide/removal.ts',
    before: 'const held = isHeld(claim);',
    after: 'const held = true;',
    why: 'a claim that is not held has one controller at the most, and that is among those taken',
  },
  {
    file: 'apps/statefulset-pvc-retention/src/decide/removal.ts',
    before:
      '!wrong.includes(reference) && !isHold(claim, reference) && !(held && isOfOurForm(claim, reference)),',
    after: '!wrong.includes(reference) && !isHold(claim, reference) && !(isOfOurForm(claim, reference)),',
    why: 'a claim that is not held has one controller at the most, and that is among those taken',
  },
  {
    file: 'apps/statefulset-pvc-retention/src/decide/situation.ts',
    before: '(reference) => !ours.includes(reference) && !isTo(reference) && !isHold(claim, reference),',
    after: '(reference) => !ours.includes(reference) && !isTo(reference),',
    why: 'a claim that is held is confirmed or let go of, whatever this says',
  },
  {
    file: 'apps/statefulset-pvc-retention/src/decide/situation.ts',
    before: '(reference) => !ours.includes(reference) && !isTo(reference) && !isHold(claim, reference),',
    after: '(reference) => !isTo(reference) && !isHold(claim, reference),',
    why: "ours are the workload's, which has its UID, or the pod's, for which the rules before have answered",
  },
  {
    file: 'apps/statefulset-pvc-retention/src/decide/situation.ts',
    before: 'reference.uid === workload.uid && namesWorkload(reference, workload);',
    after: 'namesWorkload(reference, workload);',
    why: 'a reference to an earlier workload of the name is left alone by a rule before',
  },
  {
    file: 'apps/statefulset-pvc-retention/src/decide/tie.ts',
    before:
      "return { kind: `${kind}.${apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/')))}`, name, uid };",
    after:
      "return { kind: `${kind}.${apiVersion.slice(0, Math.max(0, apiVersion.lastIndexOf('/')))}`, name, uid };",
    why: 'there is one slash at the most',
  },
  {
    file: 'apps/statefulset-pvc-retention/src/decide/tying.ts',
    before: 'const others = ours.filter((reference) => !own.includes(reference));',
    after: 'const others = ours.filter((reference) => false);',
    why: 'all of ours have the controller flag, which the API server allows once: beside an own one there is none',
  },
  {
    file: 'apps/statefulset-pvc-retention/src/decide/wanted-owner.ts',
    before: 'workload.wanted || podUidOf(situation) !== undefined || isTied(claim, workload) ||',
    after: 'workload.wanted || podUidOf(situation) !== undefined ||',
    why: 'asked of tied claims only where there is no window, and there the tie goes first',
  },
  {
    file: 'apps/statefulset-pvc-retention/src/decide/wanted-owner.ts',
    before:
      '({ uid, blockOwnerDeletion }) => uid !== owner?.uid || (shared && blockOwnerDeletion === false),',
    after: '({ uid, blockOwnerDeletion }) => uid !== owner?.uid || (blockOwnerDeletion === false),',
    why: 'where the name is not shared, the next line asks for the owner alone',
  },
  {
    file: 'apps/statefulset-pvc-retention/src/decide/wanted-owner.ts',
    before: 'const plain = others.find(({ uid }) => uid === owner.uid);',
    after: 'const plain = others.findLast(({ uid }) => uid === owner.uid);',
    why: 'of two references to one owner either may get the flag',
  },
  {
    file: 'apps/statefulset-pvc-retention/src/decide/wanted-owner.ts',
    before: 'return first?.uid === owner?.uid && more.length === 0;',
    after: 'return first?.uid === owner?.uid;',
    why: 'all of ours have the controller flag, which the API server allows once',
  },
  {
    file: 'apps/pv-reclaim-honor/src/decide.ts',
    before: "own: ownHolds(volume, keeper.kind === 'csi' ? keeper.finalizer : undefined),",
    after: 'own: ownHolds(volume, keeper.finalizer),',
    why: 'the finalizer of in-tree keepers is one that others put on too, and counts for nothing there',
  },
  {
    file: 'packages/core/src/timestamp.ts',
    before:
      'const rfc3339 = /^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?(?:Z|[-+]\\d\\d:\\d\\d)$/;',
    after: 'const rfc3339 = /\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?(?:Z|[-+]\\d\\d:\\d\\d)$/;',
    why: 'the first ten characters were compared with the day that they are',
  },
  {
    file: 'packages/core/src/timestamp.ts',
    before:
      'const rfc3339 = /^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?(?:Z|[-+]\\d\\d:\\d\\d)$/;',
    after: 'const rfc3339 = /^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?(?:Z|[-+]\\d\\d:\\d\\d)/;',
    why: 'Date.parse takes no text with anything behind the zone',
  },
  {
    file: 'apps/retroactive-default-sc/src/decide.ts',
    before: 'return madeA === madeB ? a.name < b.name : madeA > madeB;',
    after: 'return madeA === madeB ? a.name <= b.name : madeA > madeB;',
    why: 'no two classes have one name',
  },
  {
    file: 'apps/retroactive-default-sc/src/decide.ts',
    before: 'return madeA === madeB ? a.name < b.name : madeA > madeB;',
    after: 'return madeA === madeB ? a.name < b.name : madeA >= madeB;',
    why: 'the times are not equal there',
  },
  {
    file: 'apps/statefulset-pvc-retention/src/claim-name.ts',
    before: 'return head === undefined || digits === undefined || ordinal > largestOrdinal',
    after: 'return head === undefined || ordinal > largestOrdinal',
    why: 'the pattern finds both parts, or neither',
  },
  {
    file: 'apps/statefulset-pvc-retention/src/claim-name.ts',
    before: 'return head === undefined || digits === undefined || ordinal > largestOrdinal',
    after: 'return digits === undefined || ordinal > largestOrdinal',
    why: 'the pattern finds both parts, or neither',
  },
  {
    file: 'apps/pv-reclaim-honor/src/decide/undo-window.ts',
    before: 'delay: Math.max(timeLeft(mark.due, undo), undo.serverNow === undefined ? serverTimeDelay : 0),',
    after: 'delay: Math.max(timeLeft(mark.due, undo), undo.serverNow === undefined ? serverTimeDelay : 1),',
    why: 'a window that is open by both clocks has a millisecond left at least',
  },
  {
    file: 'apps/statefulset-pvc-retention/src/decide/look-back.ts',
    before: 'const added = ours.find((reference) => namesPod(reference, snapshot.podName));',
    after: 'const added = ours.find((reference) => true);',
    why: "taken for a pod's, the set's reference is the one that the table would have, so that it stays as it does without a pod",
  },
  {
    file: 'apps/pv-reclaim-honor/src/in-tree/mount-table.ts',
    before: 'const nfsSource = /^(.+?):(\\/.*)/s;',
    after: 'const nfsSource = /(.+?):(\\/.*)/s;',
    why: 'what it finds begins with the first character either way',
  },
  {
    file: 'apps/pv-reclaim-honor/src/in-tree/mount-table.ts',
    before: 'if (last?.table !== table) {',
    after: 'if (true) {',
    why: 'what was read before only saves time',
  },
  {
    file: 'apps/pv-reclaim-honor/src/in-tree/mount-table.ts',
    before: ".reduce((longest, each) => (each.length > longest.length ? each : longest), '/');",
    after: ".reduce((longest, each) => (each.length >= longest.length ? each : longest), '/');",
    why: 'two mount points of a path that are equally long are the same',
  },
  {
    file: 'apps/pv-reclaim-honor/src/storage-identity.ts',
    before: 'return azureStorage(driver, handle, {}, undefined, true);',
    after: 'return azureStorage(driver, handle, {}, undefined, false);',
    why: 'without attributes what is mounted is what is deleted',
  },
  {
    file: 'apps/pv-reclaim-honor/src/storage-identity.ts',
    before: 'const [, value] = Object.entries(attributes).find(([key]) => key.toLowerCase() === name) ?? [];',
    after:
      'const [, value] = Object.entries(attributes).findLast(([key]) => key.toLowerCase() === name) ?? [];',
    why: 'of two names that differ in case alone the driver itself takes either: a map of Go has no order',
  },
  {
    file: 'apps/pv-reclaim-honor/src/storage-index.ts',
    before: 'if (entry !== undefined && isSame(before, entry)) {',
    after: 'if (false) {',
    why: 'what is put in again is as it was: this only saves time',
  },
  {
    file: 'apps/pv-reclaim-honor/src/storage-index.ts',
    before:
      'one.needsStorage === other.needsStorage && one.steps.length === other.steps.length && one.steps.every((step, at) => step === other.steps[at])',
    after: 'false',
    why: 'what is put in again is as it was: this only saves time',
  },
  {
    file: 'apps/pv-reclaim-honor/src/storage-index.ts',
    before: 'one.steps.every((step, at) => step === other.steps[at])',
    after: 'one.steps.every((step, at) => false)',
    why: 'what is put in again is as it was: this only saves time',
  },
  {
    file: 'apps/pv-reclaim-honor/src/storage-index.ts',
    before:
      'for (let place = within.pop(); place !== undefined && found.length < limit; place = within.pop()) {',
    after: 'for (let place = within.pop(); place !== undefined; place = within.pop()) {',
    why: 'no more than the limit are taken: this only saves time',
  },
  {
    file: 'apps/pv-reclaim-honor/src/storage-index.ts',
    before:
      'for (let place = within.pop(); place !== undefined && found.length < limit; place = within.pop()) {',
    after:
      'for (let place = within.pop(); place !== undefined && found.length <= limit; place = within.pop()) {',
    why: 'no more than the limit are taken: this only saves time',
  },
  {
    file: 'apps/pv-reclaim-honor/src/storage-index.ts',
    before: 'for (let at = places.length - 1; at > 0; at--) {',
    after: 'for (let at = places.length - 1; at >= 0; at--) {',
    why: 'there is nothing above the first place, at which it ends',
  },
  {
    file: 'apps/pv-reclaim-honor/src/observe/any-volume.ts',
    before: "...(metadata ?? { annotations: 'unreadable' }),",
    after: "...(metadata ?? { annotations: '' }),",
    why: 'any text is no message',
  },
  {
    file: 'apps/pv-reclaim-honor/src/storage-index.ts',
    before: 'if (taken.length === limit) {',
    after: 'if (false) {',
    why: 'who takes from these takes no more than the limit: this only saves time',
  },
  {
    file: 'apps/pv-reclaim-honor/src/observe/attachment-list.ts',
    before:
      'inline.length === 0 ? [] : volumes.flatMap((each) => { const storage = storageIdentityOf(each); return storage === undefined ? [] : [storage]; });',
    after:
      'volumes.flatMap((each) => { const storage = storageIdentityOf(each); return storage === undefined ? [] : [storage]; });',
    why: 'where there are none, nothing is compared with the storages: this only saves time',
  },
  {
    file: 'apps/pv-reclaim-honor/src/observe/attachment-list.ts',
    before: 'if (volumeName !== undefined) {',
    after: 'if (true) {',
    why: 'no volume is without a name',
  },
  {
    file: 'apps/pv-reclaim-honor/src/volume-source.ts',
    before:
      'const field = (Object.keys(plugins) as (keyof typeof plugins)[]).find((key) => spec?.[key] !== undefined);',
    after:
      'const field = (Object.keys(plugins) as (keyof typeof plugins)[]).findLast((key) => spec?.[key] !== undefined);',
    why: 'a volume has one source',
  },
  {
    file: 'apps/pv-reclaim-honor/src/volume-source.ts',
    before: 'return field === undefined ? undefined : plugins[field];',
    after: 'return plugins[field];',
    why: 'no plugin is of a field undefined',
  },
  {
    file: 'apps/pv-reclaim-honor/src/undo/window-request.ts',
    before:
      "const durationSchema = durationFlag({ description: reclaimGraceAnnotation, default: '24h' }).schema;",
    after:
      "const durationSchema = durationFlag({ description: reclaimGraceAnnotation, default: '' }).schema;",
    why: 'only asked of what is there',
  },
  {
    file: 'apps/statefulset-pvc-retention/src/claim-name.ts',
    before: 'const numbered = /^(.+)-(0|[1-9]\\d{0,9})$/;',
    after: 'const numbered = /(.+)-(0|[1-9]\\d{0,9})$/;',
    why: 'what it finds begins with the first character of a line either way, and no name has two lines',
  },
  {
    file: 'apps/statefulset-pvc-retention/src/workload.ts',
    before:
      "const graceSchema = durationFlag({ description: workloadAnnotations.grace, default: '30m' }).schema;",
    after:
      "const graceSchema = durationFlag({ description: workloadAnnotations.grace, default: '' }).schema;",
    why: 'only asked of what is there',
  },
  {
    file: 'apps/statefulset-pvc-retention/src/workload.ts',
    before: "const text = typeof entry === 'number' || typeof entry === 'string' ? String(entry) : '';",
    after: "const text = typeof entry === 'number' || typeof entry === 'string' ? String(entry) : 'mutated';",
    why: 'neither text is a reservation',
  },
  {
    file: 'apps/pvc-protection/src/decide.ts',
    before: "export const anyNode = '*';",
    after: "export const anyNode = '';",
    why: 'whoever is on no node is on any, too',
  },
  {
    file: 'apps/pvc-protection/src/decide.ts',
    before: '(naming.direct || (naming.ephemeral && isControlledBy(claim, pod) && !endedByKubelet(pod)))',
    after: '(naming.direct || (isControlledBy(claim, pod) && !endedByKubelet(pod)))',
    why: 'what is named, and not directly, is named as an ephemeral volume',
  },
  {
    file: 'apps/pvc-protection/src/live-lookup.ts',
    before: "const ofCluster = '';",
    after: "const ofCluster = 'mutated';",
    why: 'attachments have one scope, whatever it is called',
  },
  {
    file: 'apps/pvc-protection/src/live-lookup.ts',
    before: 'return end(one) <= end(other) ? one : other;',
    after: 'return end(one) < end(other) ? one : other;',
    why: 'of two looks that end together either may be called the first',
  },
  {
    file: 'apps/pvc-protection/src/live-lookup.ts',
    before: 'if (!isGood(question)) {',
    after: 'if (false) {',
    why: 'what is not good is not handed out: this only frees memory',
  },
  {
    file: 'apps/pv-reclaim-honor/src/keeper.ts',
    before: 'const takenOverBy = plugin === undefined ? undefined : driverOfPlugin(plugin);',
    after: 'const takenOverBy = driverOfPlugin(plugin);',
    why: 'no plugin is known by undefined',
  },
  {
    file: 'apps/pv-reclaim-honor/src/csi-migration.ts',
    before: 'const migration = plugin === undefined ? undefined : migrations.get(plugin);',
    after: 'const migration = migrations.get(plugin);',
    why: 'no plugin is known by undefined',
  },
  {
    file: 'apps/pv-reclaim-honor/src/csi-migration.ts',
    before: "return `projects/${unspecified}/regions/${region ?? ''}/disks/${name}`;",
    after: 'return `projects/${unspecified}/regions/${region}/disks/${name}`;',
    why: 'there is one region',
  },
  {
    file: 'apps/pv-reclaim-honor/src/csi-migration.ts',
    before: "const resourceGroup = metadata.annotations?.['kubernetes.io/azure-file-resource-group'] ?? '';",
    after: "const resourceGroup = metadata.annotations?.['kubernetes.io/azure-file-resource-group'];",
    why: 'in a list that is joined what is undefined is as good as empty',
  },
  {
    file: 'apps/pv-reclaim-honor/src/in-tree/place.ts',
    before: 'for (let at = 0; at < paths.length; at += openAtOnce) {',
    after: 'for (let at = 0; at <= paths.length; at += openAtOnce) {',
    why: 'where no paths are left nothing is opened and nothing shown',
  },
  {
    file: 'apps/pv-reclaim-honor/src/in-tree/place.ts',
    before: 'const mount = mounts.find((each) => each.id === id);',
    after: 'const mount = mounts.findLast((each) => each.id === id);',
    why: 'no two mounts have one number',
  },
  {
    file: 'apps/retroactive-default-sc/src/live-default.ts',
    before: 'let took = 0;',
    after: 'let took = 1;',
    why: 'a look is good for longer than twice that in any case',
  },
  {
    file: 'apps/pvc-protection/src/unused-condition/decide.ts',
    before: 'const present = claim.status?.conditions?.find(({ type }) => type === conditionType);',
    after: 'const present = claim.status?.conditions?.findLast(({ type }) => type === conditionType);',
    why: 'the API server keeps conditions by their type, each once',
  },
  {
    file: 'apps/pvc-protection/src/live-lookup.ts',
    before: 'shared.delete(known);',
    after: ';',
    why: 'what is not good is not handed out: this only frees memory',
  },
  {
    file: 'apps/pvc-protection/src/live-lookup.ts',
    before: 'if (clock.now() > until) {',
    after: 'if (false) {',
    why: 'a list may cover more claims than ask for it: this only frees memory',
  },
  {
    file: 'apps/pvc-protection/src/live-lookup.ts',
    before: 'late.delete(key);',
    after: ';',
    why: 'a claim that is not served when a list begins is not covered by it: this only frees memory',
  },
  {
    file: 'apps/pvc-protection/src/live-lookup.ts',
    before: 'const known = waiting.get(scope) ?? { keys: new Set(), until: 0 };',
    after: 'const known = waiting.get(scope) ?? { keys: new Set(), until: 1 };',
    why: 'the time is set at once',
  },
  {
    file: 'apps/pvc-protection/src/live-lookup.ts',
    before: 'if (each === undefined) {',
    after: 'if (false) {',
    why: 'no claim has an undefined UID: this only frees memory',
  },
  {
    file: 'apps/pvc-protection/src/live-lookup.ts',
    before: 'if (clock.now() > until) {',
    after: 'if (clock.now() >= until) {',
    why: 'a list may cover more claims than ask for it: this only frees memory',
  },
  {
    file: 'apps/pvc-protection/src/live-lookup.ts',
    before: 'waiting.delete(scope);',
    after: ';',
    why: 'a list may cover more claims than ask for it: this only frees memory',
  },
  {
    file: 'apps/pvc-protection/src/live-lookup.ts',
    before: 'if (error instanceof StillListing) {',
    after: 'if (true) {',
    why: 'a list may cover more claims than ask for it: this only frees memory',
  },
  {
    file: 'apps/pvc-protection/src/live-lookup.ts',
    before: 'waiting.get(scope)?.keys.delete(key);',
    after: ';',
    why: 'a list may cover more claims than ask for it: this only frees memory',
  },
  {
    file: 'apps/retroactive-default-sc/src/default-for-sure.ts',
    before: 'const chosen = defaultClass(classes.filter((each) => !odd.has(each)));',
    after: 'const chosen = defaultClass(classes);',
    why: 'where an odd class is chosen, it is one that keeps any from being given',
  },
  {
    file: 'apps/retroactive-default-sc/src/default-for-sure.ts',
    before: 'const chosen = defaultClass(classes.filter((each) => !odd.has(each)));',
    after: 'const chosen = defaultClass(classes.filter((each) => true));',
    why: 'where an odd class is chosen, it is one that keeps any from being given',
  },
  {
    file: 'apps/pv-reclaim-honor/src/in-tree/remove-folder.ts',
    before: "if (codeOf(error) === 'ENOTEMPTY' && level.hadEntries) {",
    after: 'if (level.hadEntries) {',
    why: 'another error comes again after the folder was read once more, in which nothing is',
  },
  {
    file: 'packages/core/src/feature-gates.ts',
    before: 'const group = [...groups].find(([, stage]) => stage === spec.stage)?.[0];',
    after: 'const group = [...groups].findLast(([, stage]) => stage === spec.stage)?.[0];',
    why: 'each group has a stage of its own',
  },
  {
    file: 'packages/runtime/src/wire/unreadable-object.ts',
    before: 'if (isEmpty(namespace) || namespace === lastNamespace) {',
    after: 'if (isEmpty(namespace)) {',
    why: 'what was found to be a namespace is found so again: this only saves time',
  },
  {
    file: 'apps/statefulset-pvc-retention/src/wakes.ts',
    before: 'yield* withoutTemplate(after, false);',
    after: 'yield* withoutTemplate(after, true);',
    why: 'what a workload controls has no other that would have to confirm it',
  },
  {
    file: 'packages/runtime/src/process/validating.ts',
    before: "const stored = before.kind === 'valid' ? before.object : undefined;",
    after: 'const stored = before.object;',
    why: 'what is not valid has no object',
  },
  {
    file: 'packages/runtime/src/process/owns.ts',
    before:
      "return reference.kind === kind && apiVersion.slice(0, Math.max(apiVersion.indexOf('/'), 0)) === group;",
    after:
      "return reference.kind === kind && apiVersion.slice(0, Math.max(apiVersion.lastIndexOf('/'), 0)) === group;",
    why: 'an apiVersion has one slash at the most',
  },
  {
    file: 'packages/cli/src/role-rules.ts',
    before: 'return own.find(',
    after: 'return own.findLast(',
    why: 'of two that fit, one is created without a name, which is left out',
  },
  {
    file: 'packages/cli/src/role-rules.ts',
    before: 'return [...rules].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, rule]) => rule);',
    after: 'return [...rules].toSorted(([a], [b]) => (a <= b ? -1 : 1)).map(([, rule]) => rule);',
    why: 'no two rules have one identity',
  },
  {
    file: 'packages/cli/src/role-rules.ts',
    before: 'return [...rules].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, rule]) => rule);',
    after: 'return [...rules].toSorted(([a], [b]) => (a < b ? -2 : 1)).map(([, rule]) => rule);',
    why: 'only the sign counts',
  },
  {
    file: 'packages/cli/src/role-rules.ts',
    before: 'return [...rules].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, rule]) => rule);',
    after: 'return [...rules].toSorted(([a], [b]) => (a < b ? -1 : 2)).map(([, rule]) => rule);',
    why: 'only the sign counts',
  },
  {
    file: 'packages/runtime/src/process/owns.ts',
    before:
      "const reference = { apiVersion: 'v1', kind: 'Owner', name: 'owner', uid: '1', controller: true };",
    after: "const reference = { apiVersion: '', kind: 'Owner', name: 'owner', uid: '1', controller: true };",
    why: 'any text shows whether it is kept',
  },
  {
    file: 'packages/runtime/src/process/owns.ts',
    before:
      "const reference = { apiVersion: 'v1', kind: 'Owner', name: 'owner', uid: '1', controller: true };",
    after: "const reference = { apiVersion: 'v1', kind: '', name: 'owner', uid: '1', controller: true };",
    why: 'any text shows whether it is kept',
  },
  {
    file: 'packages/runtime/src/process/owns.ts',
    before:
      "const reference = { apiVersion: 'v1', kind: 'Owner', name: 'owner', uid: '1', controller: true };",
    after: "const reference = { apiVersion: 'v1', kind: 'Owner', name: '', uid: '1', controller: true };",
    why: 'any text shows whether it is kept',
  },
  {
    file: 'packages/runtime/src/process/owns.ts',
    before:
      "const reference = { apiVersion: 'v1', kind: 'Owner', name: 'owner', uid: '1', controller: true };",
    after: "const reference = { apiVersion: 'v1', kind: 'Owner', name: 'owner', uid: '', controller: true };",
    why: 'any text shows whether it is kept',
  },
  {
    file: 'packages/runtime/src/process/owns.ts',
    before:
      "const metadata = { name: 'child', uid: '2', resourceVersion: '1', ownerReferences: [reference] };",
    after: "const metadata = { name: '', uid: '2', resourceVersion: '1', ownerReferences: [reference] };",
    why: 'any text shows whether it is kept',
  },
  {
    file: 'packages/runtime/src/process/owns.ts',
    before:
      "const metadata = { name: 'child', uid: '2', resourceVersion: '1', ownerReferences: [reference] };",
    after: "const metadata = { name: 'child', uid: '', resourceVersion: '1', ownerReferences: [reference] };",
    why: 'any text shows whether it is kept',
  },
  {
    file: 'packages/runtime/src/process/owns.ts',
    before:
      "const metadata = { name: 'child', uid: '2', resourceVersion: '1', ownerReferences: [reference] };",
    after: "const metadata = { name: 'child', uid: '2', resourceVersion: '', ownerReferences: [reference] };",
    why: 'any text shows whether it is kept',
  },
  {
    file: 'packages/core/src/custom-resource/define-resource.ts',
    before: 'const within = value === undefined ? 1 : 0;',
    after: 'const within = value === undefined ? 2 : 0;',
    why: 'where a field is missing nothing within it is named: a default that is not valid is refused',
  },
  {
    file: 'packages/core/src/custom-resource/re2-pattern.ts',
    before: 'if (error instanceof Untranslatable) {',
    after: 'if (true) {',
    why: 'nothing else is thrown',
  },
  {
    file: 'packages/core/src/custom-resource/re2-pattern.ts',
    before: "const isSet = character === '\\\\' && startsSet(translation);",
    after: 'const isSet = startsSet(translation);',
    why: 'a letter follows then, and no hyphen',
  },
  {
    file: 'packages/core/src/custom-resource/re2-pattern.ts',
    before:
      "`(${/^\\?<?./.exec(rest)?.[0] ?? '?'} is not known there: RE2 has no look-ahead and no look-behind; use a second .regex(), or a rule in CEL`,",
    after:
      '`(${/^\\?<?./.exec(rest)?.[0]} is not known there: RE2 has no look-ahead and no look-behind; use a second .regex(), or a rule in CEL`,',
    why: 'a character follows: JavaScript takes no group without',
  },
  {
    file: 'packages/core/src/custom-resource/re2-pattern.ts',
    before:
      "`(${/^\\?<?./.exec(rest)?.[0] ?? '?'} is not known there: RE2 has no look-ahead and no look-behind; use a second .regex(), or a rule in CEL`,",
    after:
      "`(${/\\?<?./.exec(rest)?.[0] ?? '?'} is not known there: RE2 has no look-ahead and no look-behind; use a second .regex(), or a rule in CEL`,",
    why: 'it begins with the question mark',
  },
  {
    file: 'packages/core/src/custom-resource/re2-pattern.ts',
    before:
      'return /[\\^$\\\\.*+?()[\\]{}|]/.test(character) ? `\\\\${character}` : printable(character, source);',
    after:
      'return /[\\^$\\\\.*+?()[^\\]{}|]/.test(character) ? `\\\\${character}` : printable(character, source);',
    why: 'the class has ^ already',
  },
  {
    file: 'packages/core/src/custom-resource/re2-pattern.ts',
    before: 'const needs = isEscaped ? /[\\\\\\]^[-]/ : /[\\\\\\][]/;',
    after: 'const needs = isEscaped ? /[\\\\\\]^[^-]/ : /[\\\\\\][]/;',
    why: 'the class has ^ already',
  },
];
