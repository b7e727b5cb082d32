/** The files that the commands for helm name, by path: a chart with many kinds, including one of its own. */
export const helmFiles: Readonly<Record<string, string>> = {
  'shop/Chart.yaml': `
apiVersion: v2
name: shop
description: A shop with a database
version: 1.2.3
appVersion: "4.5"
`,
  'shop/values.yaml': `
replicas: 2
image: nginx:1.29
color: red
host: shop.example.com
widget: {size: 3}
hooks: true
`,
  'shop/crds/widgets.yaml': `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget}
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {status: {}}
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties:
                size: {type: integer, minimum: 1, maximum: 10}
                colour: {type: string, default: red}
`,
  'shop/templates/_names.tpl': `
{{- define "shop.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}
`,
  'shop/templates/NOTES.txt':
    'The shop {{ .Release.Name }} is at {{ .Values.host }}, revision {{ .Release.Revision }}.\n',
  'shop/templates/settings.yaml': `
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-settings
  labels: {{- include "shop.labels" . | nindent 4 }}
data:
  color: {{ .Values.color }}
---
apiVersion: v1
kind: Secret
metadata:
  name: {{ .Release.Name }}-key
stringData: {password: secret}
---
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ .Release.Name }}
---
{{- if lookup "v1" "Namespace" "" "kube-system" }}
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-found
data:
  policy: {{ .Capabilities.APIVersions.Has "policy/v1" | quote }}
  widget: {{ .Capabilities.APIVersions.Has "example.com/v1/Widget" | quote }}
{{- end }}
`,
  'shop/templates/workloads.yaml': `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
  labels: {{- include "shop.labels" . | nindent 4 }}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: {{ .Release.Name }}}}
  template:
    metadata: {labels: {app: {{ .Release.Name }}}}
    spec:
      serviceAccountName: {{ .Release.Name }}
      containers:
        - name: shop
          image: {{ .Values.image }}
          ports: [{name: http, containerPort: 8080}]
          envFrom: [{configMapRef: {name: {{ .Release.Name }}-settings}}]
---
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: {{ .Release.Name }}-db
spec:
  serviceName: {{ .Release.Name }}-db
  selector: {matchLabels: {app: {{ .Release.Name }}-db}}
  template:
    metadata: {labels: {app: {{ .Release.Name }}-db}}
    spec:
      containers: [{name: db, image: "postgres:18"}]
  volumeClaimTemplates:
    - metadata: {name: data}
      spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: batch/v1
kind: CronJob
metadata:
  name: {{ .Release.Name }}-nightly
spec:
  schedule: "0 3 * * *"
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers: [{name: job, image: "busybox:1.37"}]
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ .Release.Name }}
spec:
  maxReplicas: 5
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: {{ .Release.Name }}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ .Release.Name }}
spec:
  minAvailable: 1
  selector: {matchLabels: {app: {{ .Release.Name }}}}
`,
  'shop/templates/network.yaml': `
apiVersion: v1
kind: Service
metadata:
  name: {{ .Release.Name }}
spec:
  selector: {app: {{ .Release.Name }}}
  ports: [{port: 80, targetPort: http}]
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: {{ .Release.Name }}
spec:
  rules:
    - host: {{ .Values.host }}
      http:
        paths:
          - {path: /, pathType: Prefix, backend: {service: {name: {{ .Release.Name }}, port: {number: 80}}}}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ .Release.Name }}
spec: {podSelector: {}, policyTypes: [Ingress]}
`,
  'shop/templates/access.yaml': `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: {{ .Release.Name }}
rules: [{apiGroups: [""], resources: [configmaps], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: {{ .Release.Name }}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: {{ .Release.Name }}}
subjects: [{kind: ServiceAccount, name: {{ .Release.Name }}, namespace: {{ .Release.Namespace }}}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: {{ .Release.Name }}
rules: [{apiGroups: [""], resources: [nodes], verbs: [get]}]
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata:
  name: {{ .Release.Name }}
value: 1000
`,
  'shop/templates/widget.yaml': `
apiVersion: example.com/v1
kind: Widget
metadata:
  name: {{ .Release.Name }}
spec: {{ .Values.widget | toJson }}
`,
  'shop/templates/hooks.yaml': `
{{- if .Values.hooks }}
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-before
  annotations:
    helm.sh/hook: pre-install,pre-upgrade,pre-rollback
    helm.sh/hook-delete-policy: before-hook-creation
data: {revision: {{ .Release.Revision | quote }}}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-test
  annotations: {helm.sh/hook: test}
data: {a: b}
{{- end }}
`,
};
