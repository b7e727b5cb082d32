/** The files that the commands for kubectl name, by path. They are in the folder that kubectl runs in. */
export const kubectlFiles: Readonly<Record<string, string>> = {
  'settings.yaml': `
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  labels: {app: shop}
data: {color: red, size: "10"}
`,
  'settings-blue.yaml': `
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  labels: {app: shop, tier: back}
data: {color: blue}
`,
  'pod.yaml': `
apiVersion: v1
kind: Pod
metadata:
  name: web
  labels: {app: web}
spec:
  nodeSelector: {disk: ssd}
  initContainers:
    - name: wait
      image: busybox:1.37
      command: [sh, -c, "true"]
  containers:
    - name: web
      image: nginx:1.29
      ports:
        - {name: http, containerPort: 80}
      env:
        - {name: COLOR, valueFrom: {configMapKeyRef: {name: settings, key: color}}}
      resources:
        requests: {cpu: 100m, memory: 64Mi}
        limits: {memory: 128Mi}
      readinessProbe:
        httpGet: {path: /, port: http}
      volumeMounts:
        - {name: data, mountPath: /data}
  volumes:
    - {name: data, emptyDir: {}}
  tolerations:
    - {key: spot, operator: Exists, effect: NoSchedule}
`,
  'pod-port.yaml': `
apiVersion: v1
kind: Pod
metadata: {name: bad}
spec:
  containers:
    - {name: web, image: nginx, ports: [{containerPort: 99999}]}
`,
  'pod-twice.yaml': `
apiVersion: v1
kind: Pod
metadata: {name: bad}
spec:
  containers:
    - {name: web, image: nginx}
    - {name: web, image: ""}
`,
  'pod-field.yaml': `
apiVersion: v1
kind: Pod
metadata: {name: bad}
spec:
  contaners: []
  containers:
    - {name: web, image: nginx}
`,
  'pod-type.yaml': `
apiVersion: v1
kind: Pod
metadata: {name: bad}
spec:
  containers:
    - {name: web, image: nginx, ports: [{containerPort: http}]}
`,
  'no-kind.yaml': `
apiVersion: v1
metadata: {name: bad}
`,
  'no-name.yaml': `
apiVersion: v1
kind: ConfigMap
metadata: {labels: {a: b}}
`,
  'no-such-kind.yaml': `
apiVersion: example.com/v1
kind: Gadget
metadata: {name: bad}
`,
  'bad-name.yaml': `
apiVersion: v1
kind: ConfigMap
metadata: {name: Settings_1}
`,
  'broken.yaml': `
apiVersion: v1
kind: [ConfigMap
`,
  'deployment.yaml': `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop
  labels: {app: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: shop}}
  template:
    metadata:
      labels: {app: shop}
    spec:
      containers:
        - name: shop
          image: nginx:1.29
          ports: [{containerPort: 8080}]
`,
  'deployment-selector.yaml': `
apiVersion: apps/v1
kind: Deployment
metadata: {name: bad}
spec:
  selector: {matchLabels: {app: one}}
  template:
    metadata: {labels: {app: other}}
    spec:
      containers: [{name: shop, image: nginx}]
`,
  'workloads.yaml': `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  replicas: 3
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      containers: [{name: db, image: "postgres:18"}]
  volumeClaimTemplates:
    - metadata: {name: data}
      spec:
        accessModes: [ReadWriteOnce]
        resources: {requests: {storage: 1Gi}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec:
      containers: [{name: agent, image: "agent:1"}]
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly}
spec:
  schedule: "0 3 * * *"
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers: [{name: job, image: "busybox:1.37"}]
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: db}
spec:
  minAvailable: 2
  selector: {matchLabels: {app: db}}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: shop}
spec:
  ingressClassName: nginx
  rules:
    - host: shop.example.com
      http:
        paths:
          - {path: /, pathType: Prefix, backend: {service: {name: shop, port: {number: 80}}}}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: deny}
spec: {podSelector: {}, policyTypes: [Ingress]}
`,
  'claim.yaml': `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec:
  storageClassName: fast
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 1Gi}}
`,
  'volume.yaml': `
apiVersion: v1
kind: PersistentVolume
metadata: {name: disk-1}
spec:
  capacity: {storage: 2Gi}
  accessModes: [ReadWriteOnce]
  persistentVolumeReclaimPolicy: Retain
  storageClassName: fast
  hostPath: {path: /srv/disk-1}
`,
  'class.yaml': `
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast}
provisioner: example.com/fast
allowVolumeExpansion: true
`,
  'node.yaml': `
apiVersion: v1
kind: Node
metadata:
  name: node-1
  labels: {zone: a}
`,
  'definition.yaml': `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, shortNames: [wi], categories: [shopware]}
  versions:
    - name: v1
      served: true
      storage: true
      additionalPrinterColumns:
        - {name: Size, type: integer, jsonPath: .spec.size}
        - {name: Colour, type: string, jsonPath: .spec.colour, priority: 1}
      subresources:
        status: {}
        scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.size}
      schema:
        openAPIV3Schema:
          type: object
          description: A widget is a part of a shop.
          properties:
            spec:
              type: object
              description: What is wanted.
              required: [size]
              properties:
                size: {type: integer, minimum: 1, maximum: 10, description: How many.}
                colour: {type: string, enum: [red, blue], default: red}
                tags: {type: array, x-kubernetes-list-type: set, items: {type: string}}
              x-kubernetes-validations:
                - rule: "self.size < 9 || self.colour == 'blue'"
                  message: great ones are blue
            status:
              type: object
              properties: {size: {type: integer}}
`,
  'widget.yaml': `
apiVersion: example.com/v1
kind: Widget
metadata: {name: one}
spec: {size: 3}
`,
  'widget-size.yaml': `
apiVersion: example.com/v1
kind: Widget
metadata: {name: bad}
spec: {size: 11, colour: green}
`,
  'widget-rule.yaml': `
apiVersion: example.com/v1
kind: Widget
metadata: {name: bad}
spec: {size: 9}
`,
  'widget-field.yaml': `
apiVersion: example.com/v1
kind: Widget
metadata: {name: bad}
spec: {size: 2, weight: 7}
`,
  'request.yaml': `
apiVersion: certificates.k8s.io/v1
kind: CertificateSigningRequest
metadata: {name: alice}
spec:
  request: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIS01ISUNBUUF3RURFT01Bd0dBMVVFQXd3RllXeHBZMlV3V1RBVEJnY3Foa2pPUFFJQkJnZ3Foa2pPUFFNQgpCd05DQUFTbnZvMm12WE96d2w3RUprRVpkZnVPZXUyNi95UWVVL1I1ckNZYXNvSXN5cFF6RlExcUlWUlN5czV0Cmt2MHdRYlJkWVRMNXNnZHdEdkwrcUVsSG5Vc2FvQUF3Q2dZSUtvWkl6ajBFQXdJRFNBQXdSUUlnWXBPd1BMK0YKRUw2WkRoVW9SS3VZUUVUWW95THM4ZDlJYmxtZ1FLY0FINGtDSVFDOS9JMm5ZakhSelFza1g1MlUzWjdnNlhNMApFTXVxSy91TVZMSlQ2OThEMHc9PQotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K
  signerName: example.com/signer
  usages: [client auth]
`,
  'patch.json': '{"data":{"color":"green"}}\n',
  'kustomization.yaml': `
resources: [settings.yaml, service.yaml]
namePrefix: kustom-
commonAnnotations: {made-by: kustomize}
configMapGenerator:
  - {name: generated, literals: [a=b]}
`,
  'service.yaml': `
apiVersion: v1
kind: Service
metadata: {name: shop}
spec:
  selector: {app: shop}
  ports: [{port: 80, targetPort: 8080}]
`,
  'service-bad.yaml': `
apiVersion: v1
kind: Service
metadata: {name: bad}
spec:
  type: Outside
  ports: [{port: 0}]
`,
  'edit.sh': '#!/bin/sh\nsed -i "s/color: .*/color: edited/" "$1"\n',
  'edit-bad.sh': '#!/bin/sh\nsed -i "s/^  name: settings/  name: Other_/" "$1"\n',
  'quota.yaml': `
apiVersion: v1
kind: List
items:
  - apiVersion: v1
    kind: ResourceQuota
    metadata: {name: quota}
    spec: {hard: {pods: "5", requests.cpu: "2"}}
  - apiVersion: v1
    kind: LimitRange
    metadata: {name: limits}
    spec:
      limits:
        - {type: Container, default: {cpu: 200m}, defaultRequest: {cpu: 100m}}
`,
};
