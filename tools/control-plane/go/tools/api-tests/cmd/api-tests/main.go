// Command api-tests is Kubernetes' own end-to-end tests of what an API server and its controllers do, without what the suite does to
// a cluster of strangers before its first test (it waits for nodes, for kube-system, for daemons). A test that asks for a context ends
// when its time is up, so that one that waits in vain does not keep the others waiting.
package main

import (
	"context"
	"flag"
	"os"
	"reflect"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	"github.com/onsi/gomega"
	"k8s.io/component-base/logs"
	_ "k8s.io/component-base/logs/testinit"
	_ "k8s.io/kubernetes/test/e2e/apimachinery"
	_ "k8s.io/kubernetes/test/e2e/apps"
	_ "k8s.io/kubernetes/test/e2e/auth"
	_ "k8s.io/kubernetes/test/e2e/common"
	"k8s.io/kubernetes/test/e2e/framework"
	"k8s.io/kubernetes/test/e2e/framework/config"
	_ "k8s.io/kubernetes/test/e2e/framework/debug/init"
	_ "k8s.io/kubernetes/test/e2e/framework/metrics/init"
	_ "k8s.io/kubernetes/test/e2e/framework/node/init"
	"k8s.io/kubernetes/test/e2e/framework/testfiles"
	_ "k8s.io/kubernetes/test/e2e/instrumentation"
	_ "k8s.io/kubernetes/test/e2e/kubectl"
	_ "k8s.io/kubernetes/test/e2e/network"
	_ "k8s.io/kubernetes/test/e2e/node"
	_ "k8s.io/kubernetes/test/e2e/scheduling"
	_ "k8s.io/kubernetes/test/e2e/storage"
	"k8s.io/kubernetes/test/e2e/testing-manifests"
	_ "k8s.io/kubernetes/test/utils/format"
)

// outcome is what ginkgo reports to in place of a *testing.T.
type outcome struct{ failed bool }

func (o *outcome) Fail() { o.failed = true }

var testContext = reflect.TypeFor[context.Context]()

// takesContext says whether a node's body can be told that its time is up. Ginkgo refuses a limit for others.
func takesContext(args []any) bool {
	for _, arg := range args {
		kind := reflect.TypeOf(arg)
		if kind != nil && kind.Kind() == reflect.Func && kind.NumIn() == 1 && kind.In(0).Implements(testContext) {
			return true
		}
	}
	return false
}

func main() {
	limit := flag.Duration("test-timeout", 5*time.Minute, "how long a test may take that does not say it itself")
	config.CopyFlags(config.Flags, flag.CommandLine)
	framework.RegisterCommonFlags(flag.CommandLine)
	framework.RegisterClusterFlags(flag.CommandLine)
	flag.Parse()

	ginkgo.AddTreeConstructionNodeArgsTransformer(
		func(kind types.NodeType, _ ginkgo.Offset, text string, args []any) (string, []any, []error) {
			if kind.Is(types.NodeTypeIt) && takesContext(args) {
				args = append([]any{ginkgo.SpecTimeout(*limit)}, args...)
			}
			return text, args, nil
		})
	testfiles.AddFileSource(testing_manifests.GetE2ETestingManifestsFS())
	framework.AfterReadingAllFlags(&framework.TestContext)
	logs.InitLogs()
	defer logs.FlushLogs()

	gomega.RegisterFailHandler(framework.Fail)
	suite, reporter := framework.CreateGinkgoConfig()
	var result outcome
	ginkgo.RunSpecs(&result, "Kubernetes e2e suite", suite, reporter)
	if result.failed {
		os.Exit(1)
	}
}
