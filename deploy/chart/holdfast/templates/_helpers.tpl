{{/*
The installations that the values ask for, as a JSON list: one for each controller, and one for each driver of pv-reclaim-honor.

  app       the controller's name, as of its image and its folder
  name      of its objects in the namespace: the controller's, the driver's and nameSuffix
  suffix    what the name has more than the controller's
  instance  the suffix as a label, or empty: in labels and selectors, since several can be in one namespace
  form      of pv-reclaim-honor: sidecar or standalone
  values    the controller's section over `defaults`, and the driver's over both; `flags` is a map even if it is emptied
*/}}
{{- define "holdfast.installations" -}}
{{- $values := .Values }}
{{- $all := list }}
{{- range $key, $app := dict "pvcProtection" "pvc-protection" "retroactiveDefaultSc" "retroactive-default-sc" "statefulsetPvcRetention" "statefulset-pvc-retention" }}
  {{- $own := mergeOverwrite (deepCopy $values.defaults) (deepCopy (get $values $key)) }}
  {{- if $own.enabled }}
    {{- $_ := set $own "flags" ($own.flags | default dict) }}
    {{- $all = append $all (dict "app" $app "name" (print $app $values.nameSuffix) "suffix" $values.nameSuffix "instance" (trimPrefix "-" $values.nameSuffix) "form" "" "values" $own) }}
  {{- end }}
{{- end }}
{{- $section := $values.pvReclaimHonor }}
{{- if $section.enabled }}
  {{- $names := list }}
  {{- range $driver := $section.drivers }}
    {{- if has $driver.name $names }}
      {{- fail (printf "pvReclaimHonor.drivers: two are named %s" $driver.name) }}
    {{- end }}
    {{- $names = append $names $driver.name }}
    {{- $form := ternary "standalone" "sidecar" (hasKey $driver "standalone") }}
    {{- $own := mergeOverwrite (deepCopy $values.defaults) (omit (deepCopy $section) "drivers") }}
    {{- if eq $form "standalone" }}
      {{- /* hostPath volumes are folders of one node, so a second replica elsewhere could not take over. */}}
      {{- $_ := set $own "replicas" 1 }}
    {{- end }}
    {{- $own = mergeOverwrite $own (deepCopy $driver) }}
    {{- $_ := set $own "flags" ($own.flags | default dict) }}
    {{- $suffix := printf "-%s%s" $driver.name $values.nameSuffix }}
    {{- $longest := len (printf "pv-reclaim-honor-uninstall%s" $suffix) }}
    {{- if gt $longest 63 }}
      {{- fail (printf "pvReclaimHonor.drivers: with name %s and nameSuffix %s the name of an object has %d characters, and 63 is the most: shorten either" $driver.name $values.nameSuffix $longest) }}
    {{- end }}
    {{- $all = append $all (dict "app" "pv-reclaim-honor" "name" (print "pv-reclaim-honor" $suffix) "suffix" $suffix "instance" (trimPrefix "-" $suffix) "form" $form "values" $own) }}
  {{- end }}
{{- end }}
{{- toJson $all }}
{{- end }}

{{/* Those that work: a controller that is leaving has no pods. */}}
{{- define "holdfast.working" -}}
{{- $working := list }}
{{- range include "holdfast.installations" . | fromJsonArray }}
  {{- if not .values.leave }}
    {{- $working = append $working . }}
  {{- end }}
{{- end }}
{{- toJson $working }}
{{- end }}

{{/* Whether an installation serves webhooks. Their configuration belongs to the cluster, so that there are none for some namespaces only. */}}
{{- define "holdfast.servesWebhook" -}}
{{- if and (eq .installation.app "pvc-protection") .installation.values.webhook.enabled (not .root.Values.namespaces) }}true{{ end }}
{{- end }}

{{/* Whether it makes the certificate of its webhook for itself, for which it needs rights. */}}
{{- define "holdfast.signsCertificate" -}}
{{- if include "holdfast.servesWebhook" . }}{{ if not .installation.values.webhook.certManager.enabled }}true{{ end }}{{ end }}
{{- end }}

{{/* What belongs to one installation is selected by these. */}}
{{- define "holdfast.selector" -}}
{{- with .instance -}}
app.kubernetes.io/instance: {{ . }}
{{ end -}}
app.kubernetes.io/name: {{ .app }}
{{- end }}

{{/*
The labels of an object, with their key, or nothing. root, installation (or none), labels: those of the object itself, as YAML.
*/}}
{{- define "holdfast.labels" -}}
{{- $labels := dict }}
{{- with .installation }}{{ with .instance }}{{ $_ := set $labels "app.kubernetes.io/instance" . }}{{ end }}{{ end }}
{{- with .labels }}{{ $labels = mergeOverwrite $labels (fromYaml .) }}{{ end }}
{{- $labels = mergeOverwrite (deepCopy .root.Values.commonLabels) $labels }}
{{- with $labels -}}
labels:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "holdfast.partOf" -}}
app.kubernetes.io/part-of: holdfast
{{- end }}

{{/* The labels that all objects of a controller's pods have. */}}
{{- define "holdfast.appLabels" -}}
app.kubernetes.io/name: {{ .app }}
{{ include "holdfast.partOf" . }}
{{- end }}

{{- define "holdfast.image" -}}
{{- $image := .root.Values.image }}
{{- printf "%s/%s:%s" (trimSuffix "/" $image.registry) .installation.app ($image.tag | default .installation.values.image.tag) }}
{{- end }}

{{- define "holdfast.priorityClass" -}}
{{- $class := .root.Values.priorityClass }}
{{- if $class.create }}{{ printf "holdfast-%s" .installation.name }}{{ else }}{{ $class.name }}{{ end }}
{{- end }}

{{/*
The value of a flag: numbers in full, where Helm would write 1e+06. Of durations, those that Go reads and that are above zero.

  root, installation, flag, value
*/}}
{{- define "holdfast.flagValue" -}}
{{- $value := kindIs "float64" .value | ternary (toString (int64 .value)) (toString .value) }}
{{- if has .flag (.root.Files.Get "files/duration-flags.yaml" | fromYamlArray) }}
  {{- if not (and (regexMatch "^(([0-9]+([.][0-9]*)?|[.][0-9]+)(ns|us|µs|μs|ms|s|m|h))+$" $value) (regexMatch "[1-9]" $value)) }}
    {{- fail (printf "flag %s of %s: %q is no duration: write numbers with their units (h, m, s, ms), above zero, for example 15s or 1m30s" .flag .installation.name $value) }}
  {{- end }}
{{- end }}
{{- $value }}
{{- end }}

{{/* The arguments that the values ask for, as a JSON list, beside those that belong to the form of the pod. */}}
{{- define "holdfast.arguments" -}}
{{- $values := .installation.values }}
{{- $args := list }}
{{- if .root.Values.namespaces }}
  {{- $args = append $args (printf "--namespaces=%s" (join "," .root.Values.namespaces)) }}
{{- end }}
{{- if .installation.suffix }}
  {{- $args = append $args (printf "--leader-elect-resource-name=holdfast-%s" .installation.name) }}
{{- end }}
{{- with $values.workloads }}
  {{- $args = append $args (printf "--workloads=%s" (join "," .)) }}
{{- end }}
{{- $gates := list }}
{{- range $gate, $on := $values.gates }}
  {{- $gates = append $gates (printf "%s=%t" $gate $on) }}
{{- end }}
{{- with $gates }}
  {{- $args = append $args (printf "--feature-gates=%s" (join "," .)) }}
{{- end }}
{{- range $flag, $value := $values.flags }}
  {{- $args = append $args (printf "--%s=%s" $flag (include "holdfast.flagValue" (dict "root" $.root "installation" $.installation "flag" $flag "value" $value))) }}
{{- end }}
{{- toJson $args }}
{{- end }}

{{/* What a pod of a controller is placed by, and its account's secrets. */}}
{{- define "holdfast.placement" -}}
{{- $placement := dict }}
{{- range $field := list "nodeSelector" "tolerations" "affinity" }}
  {{- with get $.installation.values $field }}
    {{- $_ := set $placement $field . }}
  {{- end }}
{{- end }}
{{- with .root.Values.image.pullSecrets }}
  {{- $_ := set $placement "imagePullSecrets" . }}
{{- end }}
{{- with $placement }}
  {{- toYaml . }}
{{- end }}
{{- end }}

{{- define "holdfast.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "holdfast.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
seccompProfile:
  type: RuntimeDefault
{{- end }}
