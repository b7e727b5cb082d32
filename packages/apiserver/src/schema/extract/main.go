// Writes the text of ../schema-data.ts: what Go's types and the published OpenAPI say about the kinds the embedded API
// server serves. Give it a folder with the /openapi/v3 documents of a kube-apiserver of the same release, one file each:
//
//	go mod tidy && go run . <folder> > schema-data.txt
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	eventsv1 "k8s.io/api/events/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	networkingv1 "k8s.io/api/networking/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

var roots = []any{
	corev1.Namespace{}, corev1.Pod{}, corev1.PersistentVolumeClaim{}, corev1.PersistentVolume{}, corev1.Node{}, corev1.Event{},
	corev1.Secret{}, corev1.ConfigMap{}, corev1.ServiceAccount{}, corev1.Binding{}, corev1.Service{},
	appsv1.StatefulSet{}, appsv1.ControllerRevision{},
	storagev1.StorageClass{}, storagev1.VolumeAttachment{}, storagev1.CSINode{}, storagev1.CSIDriver{}, storagev1.CSIStorageCapacity{}, storagev1.VolumeAttributesClass{},
	coordinationv1.Lease{}, eventsv1.Event{}, policyv1.Eviction{}, policyv1.PodDisruptionBudget{}, autoscalingv1.Scale{},
	rbacv1.Role{}, rbacv1.ClusterRole{}, rbacv1.RoleBinding{}, rbacv1.ClusterRoleBinding{},
	admissionregistrationv1.MutatingWebhookConfiguration{}, admissionregistrationv1.ValidatingWebhookConfiguration{},
	admissionregistrationv1.ValidatingAdmissionPolicy{}, admissionregistrationv1.ValidatingAdmissionPolicyBinding{},
	authenticationv1.TokenReview{}, authenticationv1.SelfSubjectReview{}, authenticationv1.TokenRequest{},
	authorizationv1.SubjectAccessReview{}, authorizationv1.SelfSubjectAccessReview{}, authorizationv1.LocalSubjectAccessReview{}, authorizationv1.SelfSubjectRulesReview{},
	admissionv1.AdmissionReview{}, apiextensionsv1.CustomResourceDefinition{},
	metav1.DeleteOptions{}, metav1.PartialObjectMetadata{},
	metav1.APIVersions{}, metav1.APIGroupList{}, metav1.APIResourceList{}, apidiscoveryv2.APIGroupDiscoveryList{},
	corev1.ComponentStatus{}, corev1.Endpoints{}, corev1.LimitRange{}, corev1.PodTemplate{}, corev1.ReplicationController{}, corev1.ResourceQuota{},
	appsv1.DaemonSet{}, appsv1.Deployment{}, appsv1.ReplicaSet{}, batchv1.CronJob{}, batchv1.Job{},
	autoscalingv1.HorizontalPodAutoscaler{}, autoscalingv1.MetricSpec{}, autoscalingv1.MetricStatus{}, autoscalingv1.HorizontalPodAutoscalerCondition{},
	autoscalingv2.HorizontalPodAutoscaler{}, certificatesv1.CertificateSigningRequest{},
	discoveryv1.EndpointSlice{}, flowcontrolv1.FlowSchema{}, flowcontrolv1.PriorityLevelConfiguration{},
	networkingv1.IngressClass{}, networkingv1.Ingress{}, networkingv1.IPAddress{}, networkingv1.NetworkPolicy{}, networkingv1.ServiceCIDR{},
	nodev1.RuntimeClass{}, schedulingv1.PriorityClass{},
	resourcev1.DeviceClass{}, resourcev1.ResourceClaim{}, resourcev1.ResourceClaimTemplate{}, resourcev1.ResourceSlice{},
	admissionregistrationv1.MutatingAdmissionPolicy{}, admissionregistrationv1.MutatingAdmissionPolicyBinding{}, apiregistrationv1.APIService{},
}

type property struct {
	ListType    string              `json:"x-kubernetes-list-type"`
	ListMapKeys []string            `json:"x-kubernetes-list-map-keys"`
	MapType     string              `json:"x-kubernetes-map-type"`
	Default     json.RawMessage     `json:"default"`
	Properties  map[string]property `json:"properties"`
	Required    []string            `json:"required"`
	Enum        []string            `json:"enum"`
}

var openapi = map[string]property{}

func shortName(t reflect.Type) string {
	p := t.PkgPath()
	for _, prefix := range []string{"k8s.io/api/", "k8s.io/apimachinery/pkg/apis/", "k8s.io/apiextensions-apiserver/pkg/apis/", "k8s.io/kube-aggregator/pkg/apis/"} {
		p = strings.TrimPrefix(p, prefix)
	}
	return strings.ReplaceAll(p, "/", ".") + "." + t.Name()
}

func openapiName(t reflect.Type) string {
	parts := strings.Split(t.PkgPath(), "/")
	host := strings.Split(parts[0], ".")
	for i, j := 0, len(host)-1; i < j; i, j = i+1, j-1 {
		host[i], host[j] = host[j], host[i]
	}
	return strings.Join(host, ".") + "." + strings.Join(parts[1:], ".") + "." + t.Name()
}

var special = map[string]string{
	"k8s.io/apimachinery/pkg/apis/meta/v1.Time": "time", "k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime": "microtime",
	"k8s.io/apimachinery/pkg/apis/meta/v1.Duration": "duration", "k8s.io/apimachinery/pkg/api/resource.Quantity": "quantity",
	"k8s.io/apimachinery/pkg/util/intstr.IntOrString": "intorstring", "k8s.io/apimachinery/pkg/runtime.RawExtension": "raw",
	"k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1": "raw", "k8s.io/apimachinery/pkg/runtime.Object": "raw",
	// They are read by methods of their own, one thing or another.
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON":                         "raw",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrArray":       "raw",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrBool":        "raw",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrStringArray": "raw",
}

var todo []reflect.Type
var seen = map[reflect.Type]bool{}

func expr(t reflect.Type) string {
	if s, ok := special[t.PkgPath()+"."+t.Name()]; ok {
		return s
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + expr(t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return "[]" + expr(t.Elem())
	case reflect.Map:
		return "{}" + expr(t.Elem())
	case reflect.Struct:
		if !seen[t] {
			seen[t] = true
			todo = append(todo, t)
		}
		return "&" + shortName(t)
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "bool"
	case reflect.Int32:
		return "int32"
	case reflect.Int64:
		return "int64"
	case reflect.Float64:
		return "float64"
	case reflect.Interface:
		return "raw"
	}
	panic(t.String())
}

func fields(t reflect.Type, doc property, prefix string, out *[]string) {
	for i := 0; i < t.NumField(); i++ {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		name, opts, _ := strings.Cut(tag, ",")
		if name == "-" || !f.IsExported() {
			continue
		}
		if f.Anonymous && name == "" {
			ft := f.Type
			if ft.Kind() == reflect.Pointer {
				ft = ft.Elem()
			}
			// Type metadata is not part of the message: it is in the envelope.
			inner := "none"
			if number := protobufNumber(f); number != "" {
				inner = prefix + number + "."
			}
			fields(ft, doc, inner, out)
			continue
		}
		if name == "" {
			panic(t.String() + "." + f.Name)
		}
		line := "  " + name + " " + expr(f.Type)
		if strings.Contains(opts, "omitempty") {
			line += " omitempty"
		}
		if strings.Contains(opts, "omitzero") {
			line += " omitzero"
		}
		p := doc.Properties[name]
		if p.ListType != "" {
			line += " list=" + p.ListType
		}
		if len(p.ListMapKeys) > 0 {
			line += " keys=" + strings.Join(p.ListMapKeys, ",")
		}
		if p.MapType != "" {
			line += " map=" + p.MapType
		}
		if s := f.Tag.Get("patchStrategy"); s != "" {
			line += " patch=" + s
		}
		if s := f.Tag.Get("patchMergeKey"); s != "" {
			line += " mergeKey=" + s
		}
		if len(p.Enum) > 0 {
			line += " enum=" + strings.Join(p.Enum, ",")
		}
		for _, r := range doc.Required {
			if r == name {
				line += " required"
			}
		}
		// Of a field that Go leaves out when it is empty, even the empty text is a default that somebody wrote down.
		isZero := string(p.Default) == `""` && !strings.Contains(line, " omitempty")
		if d := string(p.Default); d != "" && !isZero && d != "{}" && d != "0" && d != "false" && d != "null" {
			line += " default=" + d
		}
		if number := protobufNumber(f); number != "" && prefix != "none" {
			line += " pb=" + prefix + number
		}
		*out = append(*out, line)
	}
}

// protobufNumber gives the field number of the protobuf form; inlined structs are messages of their own there.
func protobufNumber(f reflect.StructField) string {
	parts := strings.Split(f.Tag.Get("protobuf"), ",")
	if len(parts) < 2 {
		return ""
	}
	return parts[1]
}

func main() {
	files, _ := filepath.Glob(filepath.Join(os.Args[1], "*.json"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			panic(err)
		}
		var doc struct {
			Components struct{ Schemas map[string]property }
		}
		if err := json.Unmarshal(text, &doc); err != nil {
			panic(err)
		}
		for name, schema := range doc.Components.Schemas {
			openapi[name] = schema
		}
	}
	for _, r := range roots {
		expr(reflect.TypeOf(r))
	}
	blocks := map[string][]string{}
	for len(todo) > 0 {
		t := todo[0]
		todo = todo[1:]
		doc, ok := openapi[openapiName(t)]
		var lines []string
		if !ok {
			fmt.Fprintln(os.Stderr, "not published:", openapiName(t))
		}
		fields(t, doc, "", &lines)
		head := shortName(t)
		if doc.MapType != "" {
			head += " map=" + doc.MapType
		}
		blocks[head] = lines
	}
	var names []string
	for n := range blocks {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		fmt.Println(n)
		for _, l := range blocks[n] {
			fmt.Println(l)
		}
	}
}
