/* The scenarios of requests.ts about what the API server warns of. */

const text = (value: unknown): string => JSON.stringify(value);
const pem = (type: string, der: string): string => `-----BEGIN ${type}-----\n${der}\n-----END ${type}-----\n`;

// Made for these requests and used nowhere else. The certificate is of the Ed25519 key.
const certificateDer =
  'MIIBKDCB26ADAgECAhQTKUDUNzjFHL5d9JMA1mrtYwcbDzAFBgMrZXAwDDEKMAgGA1UEAwwBYTAgFw0yNjExMjExOTEzMjJaGA8yMTI2MTAyODE5MTMyMlowDDEKMAgGA1UEAwwBYTAqMAUGAytlcAMhAJd5msKDuMaP5c77zOAOyAwhKZBuqUfPSO5iefU1G2Wlo00wSzAdBgNVHQ4EFgQUeAx+XbheGbRPwqm8nNmrRUajd6wwHwYDVR0jBBgwFoAUeAx+XbheGbRPwqm8nNmrRUajd6wwCQYDVR0TBAIwADAFBgMrZXADQQCTjsY56ypnRWTSNsDiRgPTCbCRV/poPGQPG6wwz2kDDMlURO+ZpetXZhTSD+ESAUyQkKXpsWSqv8M7zw18A3IO';
const certificate = pem('CERTIFICATE', certificateDer);
const itsKey = pem('PRIVATE KEY', 'MC4CAQAwBQYDK2VwBCIEIErdV99wPoXUB0qLd761MQUpt3nfB9QOiRgSX87Q2mbT');
const otherKey = pem('PRIVATE KEY', 'MC4CAQAwBQYDK2VwBCIEICisda1iMMYy7S+YgyjMVkMCeRxGyTiluDvfI28KPDSC');
const ecKey = pem(
  'EC PRIVATE KEY',
  'MHcCAQEEIN/cWK20TKU78zy/T76b6MfrtpTxZq6stO/aLbsir003oAoGCCqGSM49AwEHoUQDQgAEp3PhSSwZyGqw3Uq2ctlkIg2PBzLN368hmC8MGKbWQ/81K4Uda6mPrctd4mSAThuKgtM8NtihGJmzwxkB0bIolg==',
);
const note = pem('NOTE', 'aGVsbG8=');

const beta = 'volume.beta.kubernetes.io/storage-class';
const claimSpec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const claim = (name: string, more: object = {}, annotations?: object): string =>
  text({ metadata: { name, annotations }, spec: { ...claimSpec, ...more } });
const fraction = { resources: { requests: { storage: '1500m' }, limits: { storage: '2500m' } } };

const volumes = '/api/v1/persistentvolumes';
const volume = (more: object, annotations?: object): string =>
  text({
    metadata: { name: '$NS', annotations },
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], ...more },
  });
const csi = { driver: 'd', volumeHandle: 'h' };
const nfs = { server: 's', path: '/p' };
const secretRef = { name: 's', namespace: 'n' };
const nodeTerms = (...keys: string[]): object => ({
  nodeSelectorTerms: keys.map((key) => ({ matchExpressions: [{ key, operator: 'Exists' }] })),
});

const classes = '/apis/storage.k8s.io/v1/storageclasses';
const accounts = '/api/v1/namespaces/$NS/serviceaccounts';
const drivers = '/apis/storage.k8s.io/v1/csidrivers';
const webhooks = '/apis/admissionregistration.k8s.io/v1';
const tls = (crt: string | undefined, key: string | undefined): string =>
  text({
    metadata: { name: 't' },
    type: 'kubernetes.io/tls',
    stringData: { 'tls.crt': crt, 'tls.key': key },
  });
const many = (count: number, length: number, letter: string): string =>
  text({
    metadata: { name: 'many' },
    ...Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`f${index}${letter.repeat(length)}`, 1]),
    ),
  });

const container = { name: 'c', image: 'i' };
const pod = (spec: object, annotations?: object, name = 'e'): string =>
  text({ metadata: { name, annotations }, spec: { containers: [container], ...spec } });
const env = (...variables: readonly (readonly [string, string])[]): object => ({
  ...container,
  env: variables.map(([name, value]) => ({ name, value })),
});
const ports = (...list: object[]): object => ({ ...container, ports: list });
const items = (...paths: string[]): object[] => paths.map((path, index) => ({ key: `k${index}`, path }));
const fields = (...paths: string[]): object[] =>
  paths.map((path) => ({ path, fieldRef: { fieldPath: 'metadata.name' } }));
const bytes = (amount: string): object => ({ memory: amount, 'ephemeral-storage': amount });
const affinityTerm = { topologyKey: 'kubernetes.io/hostname' };
const addresses = ['2001:DB8::1', '2001:db8:0:0:0:0:0:1', '::1.2.3.4', '1.2.3.4', '2001:db8::1'];
const seccomp = 'seccomp.security.alpha.kubernetes.io/pod';
const seccompOf = 'container.seccomp.security.alpha.kubernetes.io/';
const appArmorOf = 'container.apparmor.security.beta.kubernetes.io/';
const oldAnnotations = {
  'security.alpha.kubernetes.io/sysctls': 'kernel.shm_rmid_forced=1',
  'scheduler.alpha.kubernetes.io/critical-pod': '',
  'security.alpha.kubernetes.io/unsafe-sysctls': 'a=b',
  [seccomp]: 'runtime/default',
  [`${seccompOf}c`]: 'runtime/default',
  [`${seccompOf}other`]: 'runtime/default',
};
const profile = { seccompProfile: { type: 'RuntimeDefault' } };

const set = (name: string, spec: object, template: object, annotations?: object): string =>
  text({
    metadata: { name },
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: {
        metadata: { labels: { a: 'b' }, annotations },
        spec: { containers: [container], ...template },
      },
      ...spec,
    },
  });
const twice = { containers: [env(['A', '1'], ['A', '2'])] };
const fractions = {
  volumeClaimTemplates: [{ metadata: { name: 'd' }, spec: { ...claimSpec, ...fraction } }],
};

export const warningScenarios: Readonly<Record<string, readonly string[]>> = {
  'warnings about claims': [
    'POST /api/v1/namespaces {"metadata":{"name":"$NS"}}',
    `POST $CLAIMS ${claim('c', {}, { [beta]: 'x' })}`,
    `POST $CLAIMS ${claim('d', { accessModes: [] }, { [beta]: 'x' })}`,
    `POST $CLAIMS?dryRun=All ${claim('d', fraction)}`,
    `POST $CLAIMS ${claim('d', fraction, { [beta]: '' })}`,
    `POST $CLAIMS ${claim('d', {}, { [beta]: 'x' })}`,
    `POST $CLAIMS?dryRun=All&fieldValidation=Warn ${claim('e', { foo: 1 }, { [beta]: 'x' })}`,
    ...['0.1', '10Pi', '10P', '8Pi', '0.5Ki', '0.3Gi'].map(
      (storage) => `POST $CLAIMS?dryRun=All ${claim('e', { resources: { requests: { storage } } })}`,
    ),
    'PATCH:merge $CLAIMS/c {"metadata":{"labels":{"a":"b"}}}',
    'PATCH:merge $CLAIMS/c {}',
    'PATCH:merge $CLAIMS/c?dryRun=All {"metadata":{"labels":{"a":"c"}}}',
    'PATCH:strategic $CLAIMS/d {"metadata":{"labels":{"a":"b"}}}',
    'PATCH:json $CLAIMS/d [{"op":"add","path":"/metadata/labels","value":{"a":"c"}}]',
    'PATCH:merge $CLAIMS/c {"spec":{"volumeMode":"Block"}}',
    'PATCH:merge $CLAIMS/c {"metadata":{"resourceVersion":"1"}}',
    'PATCH:merge $CLAIMS/d/status {"status":{"phase":"Bound"}}',
    `PUT $CLAIMS/c ${claim('c', {}, { [beta]: 'y' })}`,
    `PUT $CLAIMS/c ${claim('c')}`,
    `PUT $CLAIMS/c?dryRun=All ${claim('c', { storageClassName: 'x' })}`,
    `PUT $CLAIMS/c?dryRun=All ${claim('c', { storageClassName: 'x' }, { [beta]: 'x' })}`,
    `PUT $CLAIMS/c?dryRun=All ${claim('c', { storageClassName: 'x' }, { [beta]: 'y' })}`,
    `PUT $CLAIMS/c?dryRun=All ${claim('c', { storageClassName: 'y' }, { [beta]: 'x' })}`,
    `PUT $CLAIMS/c?dryRun=All ${claim('c', { storageClassName: 'y' }, { [beta]: 'y' })}`,
    `PATCH:apply $CLAIMS/f?fieldManager=m ${text({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'f', annotations: { [beta]: 'x' } }, spec: { ...claimSpec, ...fraction } })}`,
    `PATCH:apply $CLAIMS/g?fieldManager=m ${text({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'g', labels: { a: 'b' } }, spec: { ...claimSpec, ...fraction } })}`,
    `PATCH:apply $CLAIMS/g?fieldManager=m&dryRun=All ${text({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'g', labels: { a: 'b' } }, spec: { ...claimSpec, ...fraction } })}`,
    'DELETE $CLAIMS/f',
  ],
  'warnings about volumes': [
    'POST /api/v1/namespaces {"metadata":{"name":"$NS"}}',
    `POST ${volumes} ${volume({ nfs, persistentVolumeReclaimPolicy: 'Recycle' }, { 'volume.beta.kubernetes.io/mount-options': 'a', [beta]: 'x' })}`,
    `PATCH:merge ${volumes}/$NS {"metadata":{"labels":{"a":"b"}}}`,
    `PATCH:merge ${volumes}/$NS/status {"status":{"phase":"Available"}}`,
    `PATCH:merge ${volumes}/$NS {"spec":{"nfs":{"path":"/q"}}}`,
    `PATCH:merge ${volumes}/$NS {"spec":{"persistentVolumeReclaimPolicy":"Retain"},"metadata":{"annotations":null}}`,
    `PATCH:merge ${volumes}/$NS {"spec":{"persistentVolumeReclaimPolicy":"Recycle"}}`,
    `PUT ${volumes}/$NS ${volume({ nfs, nodeAffinity: { required: nodeTerms('failure-domain.beta.kubernetes.io/zone', 'kubernetes.io/arch', 'beta.kubernetes.io/os') } })}`,
    `PUT ${volumes}/$NS ${volume({ nfs, nodeAffinity: { required: nodeTerms('topology.kubernetes.io/zone', 'kubernetes.io/arch', 'beta.kubernetes.io/os') } })}`,
    `PUT ${volumes}/$NS ${volume({ nfs, nodeAffinity: { required: nodeTerms('topology.kubernetes.io/zone', 'beta.kubernetes.io/arch', 'beta.kubernetes.io/os') } })}`,
    `PUT ${volumes}/$NS ${volume({ nfs })}`,
    ...[
      {
        nodeAffinity: {
          required: nodeTerms('beta.kubernetes.io/arch', 'failure-domain.beta.kubernetes.io/region'),
        },
        csi,
      },
      {
        nodeAffinity: {
          required: nodeTerms('beta.kubernetes.io/instance-type', 'app.kubernetes.io/created-by'),
        },
        csi,
      },
      {
        nodeAffinity: {
          required: nodeTerms(
            'scheduler.alpha.kubernetes.io/preferAvoidPods',
            'node-role.kubernetes.io/master',
          ),
        },
        csi,
      },
      {
        cephfs: { monitors: ['m'], path: '/', user: 'u', secretRef },
        persistentVolumeReclaimPolicy: 'Recycle',
      },
      { photonPersistentDisk: { pdID: 'p', fsType: 'ext4' } },
      {
        scaleIO: {
          gateway: 'g',
          system: 's',
          volumeName: 'v',
          secretRef,
          storageMode: 'ThickProvisioned',
          fsType: 'xfs',
        },
      },
      { storageos: { volumeName: 'v', volumeNamespace: 'n' } },
      { glusterfs: { endpoints: 'e', path: 'p' } },
      { rbd: { monitors: ['m'], image: 'i', pool: 'p', user: 'u', keyring: 'k', secretRef } },
      { flocker: { datasetName: 'd' } },
    ].map((spec) => `POST ${volumes}?dryRun=All ${volume(spec).replace('$NS', '$NS-e')}`),
    `PATCH:apply ${volumes}/$NS-f?fieldManager=m ${text({ apiVersion: 'v1', kind: 'PersistentVolume', ...(JSON.parse(volume({ csi, persistentVolumeReclaimPolicy: 'Recycle' }).replace('$NS', '$NS-f')) as object) })}`,
    `PATCH:merge ${volumes}/$NS-f {"metadata":{"finalizers":null}}`,
    `DELETE ${volumes}/$NS-f`,
  ],
  'warnings about classes, accounts, nodes, drivers and webhook configurations': [
    'POST /api/v1/namespaces {"metadata":{"name":"$NS"}}',
    `POST ${classes} ${text({
      metadata: { name: '$NS' },
      provisioner: 'x',
      allowedTopologies: [
        { matchLabelExpressions: [{ key: 'a', values: ['1'] }] },
        {
          matchLabelExpressions: [
            { key: 'b', values: ['1'] },
            { key: 'failure-domain.beta.kubernetes.io/zone', values: ['1'] },
          ],
        },
      ],
    })}`,
    `PATCH:merge ${classes}/$NS {"metadata":{"labels":{"a":"b"}}}`,
    `PATCH:merge ${classes}/$NS {"provisioner":"y"}`,
    `DELETE ${classes}/$NS`,
    `POST ${accounts} ${text({ metadata: { name: 'a', annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } } })}`,
    `PATCH:merge ${accounts}/a {"metadata":{"labels":{"a":"b"}}}`,
    `PATCH:merge ${accounts}/a {"metadata":{"annotations":{"kubernetes.io/enforce-mountable-secrets":"false"}}}`,
    `PATCH:merge ${accounts}/a {"metadata":{"annotations":null}}`,
    `PATCH:apply ${accounts}/a?fieldManager=m ${text({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'a', annotations: { 'kubernetes.io/enforce-mountable-secrets': '' } } })}`,
    `POST /api/v1/nodes ${text({ metadata: { name: '$NS' }, spec: { externalID: 'e', configSource: { configMap: { namespace: 'n', name: 'm', kubeletConfigKey: 'k' } }, podCIDR: '10.0.0.0/24', podCIDRs: ['10.0.0.0/24'] } })}`,
    'PATCH:merge /api/v1/nodes/$NS {"spec":{"unschedulable":true}}',
    'PATCH:merge /api/v1/nodes/$NS/status {"status":{"conditions":[{"type":"Ready","status":"True"}]}}',
    'PATCH:merge /api/v1/nodes/$NS {"spec":{"configSource":{"configMap":{"namespace":"n","name":"m","kubeletConfigKey":"k"}}}}',
    'PATCH:merge /api/v1/nodes/$NS {"metadata":{"labels":{"a":"b"}}}',
    'DELETE /api/v1/nodes/$NS',
    ...['10.0.0.0/24', '2001:DB8::/64', '2001:db8:0:0::/64', '2001:db8::/64', '::/0'].map(
      (cidr) =>
        `POST /api/v1/nodes?dryRun=All ${text({ metadata: { name: '$NS-e' }, spec: { podCIDR: cidr, podCIDRs: [cidr] } })}`,
    ),
    `POST ${drivers} ${text({ metadata: { name: '$NS' }, spec: { tokenRequests: [{ audience: 'a' }] } })}`,
    `PATCH:merge ${drivers}/$NS {"metadata":{"labels":{"a":"b"}}}`,
    `PATCH:merge ${drivers}/$NS {"spec":{"tokenRequests":[{"audience":"b"}]}}`,
    `PATCH:merge ${drivers}/$NS {"spec":{"tokenRequests":null}}`,
    `PATCH:merge ${drivers}/$NS {"spec":{"tokenRequests":[]}}`,
    `PATCH:merge ${drivers}/$NS {"spec":{"tokenRequests":[{"audience":"b","expirationSeconds":600}],"serviceAccountTokenInSecrets":true}}`,
    `PATCH:merge ${drivers}/$NS {"spec":{"tokenRequests":[{"audience":"c"}]}}`,
    `PATCH:merge ${drivers}/$NS {"spec":{"serviceAccountTokenInSecrets":null}}`,
    `PATCH:merge ${drivers}/$NS {"spec":{"tokenRequests":[{"audience":"d"}]}}`,
    `POST ${drivers}?dryRun=All ${text({ metadata: { name: '$NS-e' }, spec: { tokenRequests: [{ audience: 'a' }], serviceAccountTokenInSecrets: false } })}`,
    `DELETE ${drivers}/$NS`,
    ...['validating', 'mutating'].flatMap((type) => [
      `POST ${webhooks}/${type}webhookconfigurations ${text({ metadata: { name: '$NS.static.k8s.io' } })}`,
      `PATCH:merge ${webhooks}/${type}webhookconfigurations/$NS.static.k8s.io {"metadata":{"labels":{"a":"b"}}}`,
      `DELETE ${webhooks}/${type}webhookconfigurations/$NS.static.k8s.io`,
    ]),
  ],
  'warnings about TLS secrets': [
    'POST /api/v1/namespaces {"metadata":{"name":"$NS"}}',
    `POST $SECRETS?dryRun=All ${tls(undefined, undefined)}`,
    `POST $SECRETS?dryRun=All ${tls(certificate, undefined)}`,
    `POST $SECRETS?dryRun=All ${tls(undefined, itsKey)}`,
    ...(
      [
        ['', ''],
        ['x', itsKey],
        [itsKey, certificate],
        [itsKey + note, itsKey],
        [note, itsKey],
        [certificate, ''],
        [certificate, certificate],
        [certificate, note],
        [certificate, certificate + note],
        [certificate, otherKey],
        [certificate, ecKey],
        [certificate, pem('PRIVATE KEY', 'aGVsbG8=')],
        [pem('CERTIFICATE', 'aGVsbG8='), itsKey],
        [note + certificate + certificate, note + itsKey],
        [`before\n${certificate}`, itsKey.replaceAll('\n', '\r\n')],
        [certificate.replace('-----END', '----END'), itsKey],
        [`-----BEGIN CERTIFICATE-----\na: b\n\n${certificateDer}\n-----END CERTIFICATE-----`, itsKey],
      ] as const
    ).map(([crt, key]) => `POST $SECRETS?dryRun=All ${tls(crt, key)}`),
    `POST $SECRETS ${tls(certificate, otherKey)}`,
    'PATCH:merge $SECRETS/t {"metadata":{"labels":{"a":"b"}}}',
    'PATCH:merge $SECRETS/t {"data":{"tls.key":null}}',
    `PATCH:merge $SECRETS/t ${text({ stringData: { 'tls.key': itsKey } })}`,
    'PATCH:merge $SECRETS/t {"metadata":{"labels":{"a":"c"}}}',
    `POST $SECRETS?dryRun=All ${text({ metadata: { name: 'o' }, stringData: { 'tls.crt': 'x', 'tls.key': 'x' } })}`,
  ],
  'warnings that are many, or long': [
    'POST /api/v1/namespaces {"metadata":{"name":"$NS"}}',
    `POST $CONFIGMAPS?dryRun=All ${many(3, 300, 'x')}`,
    `POST $CONFIGMAPS?dryRun=All ${many(14, 300, 'x')}`,
    `POST $CONFIGMAPS?dryRun=All ${many(14, 300, 'é')}`,
    `POST $CONFIGMAPS?dryRun=All ${many(9, 300, '😀')}`,
    `POST $CONFIGMAPS?dryRun=All ${many(40, 300, 'x')}`,
    `POST $CONFIGMAPS?dryRun=All ${many(60, 60, 'x')}`,
    `POST $CONFIGMAPS?dryRun=All ${many(1, 5000, 'x')}`,
    `POST $CONFIGMAPS ${text({ metadata: { name: 'w' }, 'a"b': 1, 'a\\b': 1, ü: 1, '😀': 1 })}`,
    `PATCH:merge $CONFIGMAPS/w ${text({ 'a"b': 1, ü: 1 })}`,
    `POST $CONFIGMAPS ${text({ metadata: { name: 'v', labels: { 'not ok': 'x' } }, ü: 1 })}`,
  ],
  'warnings about pods': [
    'POST /api/v1/namespaces {"metadata":{"name":"$NS"}}',
    `POST $PODS ${pod({ ...twice, terminationGracePeriodSeconds: -1 }, oldAnnotations, 'p')}`,
    'PATCH:merge $PODS/p {"metadata":{"labels":{"a":"b"}}}',
    `PATCH:merge $PODS/p/status ${text({ status: { podIP: '1.2.3.4', podIPs: [{ ip: '1.2.3.4' }, { ip: '2001:DB8::1' }], hostIP: '1.2.3.4', hostIPs: [{ ip: '1.2.3.4' }, { ip: '2001:0db8::1' }] } })}`,
    'POST $PODS/p/binding {"metadata":{"name":"p"},"target":{"kind":"Node","name":"n1"},"foo":1}',
    'POST $PODS/p/eviction {"metadata":{"name":"p"},"foo":1}',
    `POST $PODS?dryRun=All ${pod({ containers: [] }, oldAnnotations)}`,
    ...[
      { nodeSelector: { 'beta.kubernetes.io/os': 'linux', a: 'b' } },
      {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: nodeTerms('beta.kubernetes.io/os', 'a'),
            preferredDuringSchedulingIgnoredDuringExecution: [
              {
                weight: 1,
                preference: { matchExpressions: [{ key: 'a', operator: 'In', values: ['b', 'b c'] }] },
              },
              {
                weight: 2,
                preference: {
                  matchExpressions: [
                    { key: 'node-role.kubernetes.io/master', operator: 'In', values: ['x'.repeat(64), '-'] },
                  ],
                },
              },
            ],
          },
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              affinityTerm,
              { ...affinityTerm, labelSelector: {} },
            ],
            preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: affinityTerm }],
          },
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { ...affinityTerm, labelSelector: {} },
              affinityTerm,
            ],
            preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: affinityTerm }],
          },
        },
      },
      {
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'failure-domain.beta.kubernetes.io/zone',
            whenUnsatisfiable: 'DoNotSchedule',
          },
          { maxSkew: 1, topologyKey: 'a', whenUnsatisfiable: 'ScheduleAnyway', labelSelector: {} },
        ],
      },
      {
        hostAliases: [
          { ip: '1.2.3.4', hostnames: ['a'] },
          { ip: '1.2.3.4', hostnames: ['b'] },
          { ip: '2001:DB8::1', hostnames: ['c'] },
        ],
        imagePullSecrets: [{ name: 'a' }, { name: 'a' }, { name: '' }, {}],
        dnsPolicy: 'None',
        dnsConfig: { nameservers: addresses.slice(2) },
      },
      { dnsPolicy: 'None', dnsConfig: { nameservers: addresses.slice(0, 3) } },
      {
        containers: [
          { ...container, resources: { limits: bytes('1500m'), requests: bytes('100m') } },
          { ...container, name: 'd', resources: { limits: bytes('1.5') } },
        ],
        initContainers: [{ ...container, name: 'i', resources: { requests: bytes('0.5') } }],
      },
      {
        containers: [
          env(['A', '1'], ['A', '$(A)'], ['B', 'b'], ['A', '$(A)2'], ['B', ''], ['C', 'c']),
          {
            name: 'd',
            image: 'i',
            env: [
              { name: 'A', value: 'a' },
              { name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
            ],
          },
        ],
        initContainers: [{ ...env(['A', '1'], ['A', '1']), name: 'i' }],
      },
      {
        containers: [
          ports(
            { containerPort: 80, name: 'a' },
            { containerPort: 80, hostPort: 80 },
            { containerPort: 80, hostPort: 80, hostIP: '127.0.0.1' },
            { containerPort: 80, protocol: 'UDP' },
            { containerPort: 81, hostIP: '127.0.0.1' },
          ),
          {
            ...ports(
              { containerPort: 80 },
              { containerPort: 82, name: 'a' },
              { containerPort: 82, hostPort: 82 },
            ),
            name: 'd',
          },
        ],
        initContainers: [{ ...ports({ containerPort: 83, name: 'a' }), name: 'i' }],
      },
      {
        volumes: [
          { name: 'a', gitRepo: { repository: 'r' } },
          { name: 'b', photonPersistentDisk: { pdID: 'p', fsType: 'ext4' } },
          { name: 'c', flocker: { datasetName: 'd' } },
          { name: 'd', storageos: { volumeName: 'v' } },
          { name: 'e', quobyte: { registry: 'r:1', volume: 'v' } },
          { name: 'f', glusterfs: { endpoints: 'e', path: 'p' } },
          { name: 'g', cephfs: { monitors: ['m'] } },
          { name: 'h', rbd: { monitors: ['m'], image: 'i', pool: 'p', user: 'u', keyring: 'k' } },
          { name: 'i', ephemeral: { volumeClaimTemplate: { spec: { ...claimSpec, ...fraction } } } },
          {
            name: 'j',
            scaleIO: {
              gateway: 'g',
              system: 's',
              volumeName: 'v',
              secretRef: { name: 's' },
              storageMode: 'ThickProvisioned',
              fsType: 'xfs',
            },
          },
        ],
      },
      {
        serviceAccountName: 'default',
        volumes: [
          { name: 'a', configMap: { name: 'm', items: items('x', 'x/y', 'z', 'x') } },
          { name: 'b', secret: { secretName: 's', items: items('x/y', 'x', 'xy', 'x/z/') } },
          { name: 'c', downwardAPI: { items: fields('x', 'x/y') } },
          {
            name: 'd',
            projected: {
              sources: [
                { configMap: { name: 'm', items: items('x', 'y/z') } },
                { secret: { name: 's', items: items('x/y', 'y') } },
                { downwardAPI: { items: fields('x/y/z', 'w/') } },
                { serviceAccountToken: { path: 'w' } },
                { configMap: { name: 'm' } },
                {},
              ],
            },
          },
        ],
      },
      { securityContext: profile },
      { containers: [{ ...container, securityContext: profile }] },
    ].map(
      (spec) => `POST $PODS?dryRun=All ${pod(spec, 'securityContext' in spec ? oldAnnotations : undefined)}`,
    ),
    `POST $PODS?dryRun=All ${pod({ containers: [{ ...container, securityContext: profile }], initContainers: [{ ...container, name: 'other' }] }, oldAnnotations)}`,
    ...['unconfined', 'runtime/default', 'localhost/x', 'localhost/'].map(
      (value) => `POST $PODS?dryRun=All ${pod({}, { [`${appArmorOf}c`]: value })}`,
    ),
    `POST $PODS?dryRun=All ${pod({ securityContext: { appArmorProfile: { type: 'Unconfined' } } }, { [`${appArmorOf}c`]: 'unconfined' })}`,
    `POST $PODS?dryRun=All ${pod({ securityContext: { appArmorProfile: { type: 'Unconfined' } } }, { [`${appArmorOf}c`]: 'runtime/default' })}`,
    `POST $PODS?dryRun=All ${pod({ os: { name: 'windows' } }, { [`${appArmorOf}c`]: 'runtime/default' })}`,
    `POST $PODS?dryRun=All ${pod({ containers: [{ ...container, securityContext: { appArmorProfile: { type: 'Unconfined' } } }] }, { [`${appArmorOf}c`]: 'unconfined' })}`,
    `POST $PODS?dryRun=All ${pod({ dnsPolicy: 'X' }, { [`${appArmorOf}c`]: 'runtime/default' })}`,
    `PATCH:apply $PODS/q?fieldManager=m ${text({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'q', annotations: oldAnnotations }, spec: { containers: [container] } })}`,
    `PATCH:apply $PODS/q?fieldManager=m ${text({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'q', annotations: oldAnnotations, labels: { a: 'b' } }, spec: { containers: [container] } })}`,
  ],
  'warnings about sets': [
    'POST /api/v1/namespaces {"metadata":{"name":"$NS"}}',
    `POST $SETS ${set('s', { revisionHistoryLimit: -1, ...fractions }, twice, oldAnnotations)}`,
    'PATCH:merge $SETS/s {"metadata":{"labels":{"a":"b"}}}',
    'PATCH:merge $SETS/s {}',
    'PATCH:merge $SETS/s {"spec":{"replicas":2}}',
    'PATCH:merge $SETS/s/scale {"spec":{"replicas":3}}',
    'PATCH:merge $SETS/s/scale {"spec":{"replicas":3}}',
    'PUT $SETS/s/scale {"metadata":{"name":"s"},"spec":{"replicas":4}}',
    'PATCH:merge $SETS/s/scale {"spec":{"replicas":4},"foo":1}',
    'PATCH:merge $SETS/s/scale {"spec":{"replicas":-1}}',
    'PATCH:merge $SETS/s/status {"status":{"replicas":1}}',
    'PATCH:merge $SETS/s {"spec":{"serviceName":"x","replicas":5}}',
    'PATCH:merge $SETS/s?dryRun=All {"spec":{"replicas":5}}',
    'PATCH:merge $SETS/s {"spec":{"revisionHistoryLimit":3}}',
    `PUT $SETS/s ${set('s', fractions, {})}`,
    `PUT $SETS/s ${set('s', fractions, {})}`,
    `PUT $SETS/s ${set('s', fractions, {
      nodeSelector: { 'beta.kubernetes.io/arch': 'x' },
      overhead: bytes('1500m'),
      volumes: [
        { name: 'v', gitRepo: { repository: 'r' } },
        { name: 'w', configMap: { name: 'm', items: items('a', 'a') } },
      ],
    })}`,
    ...['unconfined', 'runtime/default', 'localhost/x'].map(
      (value) => `POST $SETS?dryRun=All ${set('t', {}, {}, { [`${appArmorOf}c`]: value })}`,
    ),
    `POST $SETS?dryRun=All ${set('t', {}, { securityContext: { appArmorProfile: { type: 'Unconfined' } } }, { [`${appArmorOf}c`]: 'unconfined' })}`,
    `POST $SETS?dryRun=All ${set('t', {}, { securityContext: { appArmorProfile: { type: 'Localhost', localhostProfile: 'x' } } }, { [`${appArmorOf}c`]: 'localhost/x' })}`,
    `POST $SETS?dryRun=All ${set('t', {}, { securityContext: profile, terminationGracePeriodSeconds: -5 }, oldAnnotations)}`,
    `PATCH:apply $SETS/u?fieldManager=m ${text({ apiVersion: 'apps/v1', kind: 'StatefulSet', ...(JSON.parse(set('u', { revisionHistoryLimit: -1 }, { terminationGracePeriodSeconds: -1 })) as object) })}`,
    `PATCH:apply $SETS/u?fieldManager=m ${text({ apiVersion: 'apps/v1', kind: 'StatefulSet', ...(JSON.parse(set('u', { revisionHistoryLimit: -1 }, { terminationGracePeriodSeconds: -1 })) as object) })}`,
  ],
};
