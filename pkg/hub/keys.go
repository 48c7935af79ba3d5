package hub

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/big"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/nats-io/nkeys"

	"alamos/pkg/disk"
)

// Keys are what a hub needs to know its workers. They are secret.
type Keys struct {
	Address     string            `json:"address"` // host and port that workers connect to
	Seed        string            `json:"seed"`    // the hub's own key
	Certificate string            `json:"certificate"`
	PrivateKey  string            `json:"private_key"` // of the certificate
	Workers     map[string]string `json:"workers"`     // name -> public key
	Revoked     map[string]string `json:"revoked,omitempty"`

	file string
}

// Token is what a worker needs to connect to a hub. It is secret.
type Token struct {
	Name        string `json:"name"`
	Address     string `json:"address"`
	Seed        string `json:"seed"`
	Certificate string `json:"certificate"` // of the hub
}

// ErrAddress means that an address is not one of a hub.
var ErrAddress = errors.New("want a host and a port")

// KeyFile is the name of the hub's file in the folder that Init writes.
const KeyFile = "hub.key"

// Init writes the keys of a hub and the tokens of workers 1 to n into a folder. The keys of an
// earlier call stay, so that it can add workers. address is the host and port that workers connect
// to. It returns the files of the tokens that are new or had another address.
func Init(dir, address string, n int) (tokens []string, err error) {
	host, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil || host == "" {
		return nil, fmt.Errorf("%w, as in gpu1.example.org:4321, have %q", ErrAddress, address)
	}
	path := filepath.Join(dir, KeyFile)
	k, err := ReadKeys(path)
	if errors.Is(err, fs.ErrNotExist) {
		k, err = newKeys(host)
	}
	if err != nil {
		return nil, err
	}
	if err := k.covers(host); err != nil {
		return nil, fmt.Errorf("%s: workers would not trust the hub at %s (%w): use another folder, and new tokens for all workers", path, host, err)
	}
	k.Address, k.file = address, path
	for _, name := range slices.Sorted(maps.Keys(k.Workers)) {
		file := filepath.Join(dir, name+".token")
		t, err := ReadToken(file)
		if errors.Is(err, fs.ErrNotExist) || err == nil && t.Address == address {
			continue
		}
		if err != nil {
			return nil, err
		}
		t.Address = address
		if err := writeSecret(file, t); err != nil {
			return nil, err
		}
		tokens = append(tokens, file)
	}
	for i := 1; i <= n; i++ {
		name := fmt.Sprintf("worker-%d", i)
		if k.Workers[name] != "" {
			continue
		}
		seed, public, err := newUser()
		if err != nil {
			return nil, err
		}
		k.Workers[name] = public
		file := filepath.Join(dir, name+".token")
		if err := writeSecret(file, Token{name, address, seed, k.Certificate}); err != nil {
			return nil, err
		}
		tokens = append(tokens, file)
	}
	return tokens, k.write()
}

func newUser() (seed, public string, err error) {
	user, err := nkeys.CreateUser()
	if err != nil {
		return "", "", err
	}
	text, err := user.Seed()
	if err != nil {
		return "", "", err
	}
	public, err = user.PublicKey()
	return string(text), public, err
}

// newKeys makes a key and a certificate that signs itself, which workers are told to trust.
func newKeys(host string) (*Keys, error) {
	seed, _, err := newUser()
	if err != nil {
		return nil, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	names := []string{"localhost"}
	addresses := []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	if ip := net.ParseIP(host); ip != nil {
		addresses = append(addresses, ip)
	} else {
		names = append(names, host)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: "alamos hub"},
		NotBefore: now.Add(-24 * time.Hour), NotAfter: now.AddDate(20, 0, 0),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, DNSNames: names, IPAddresses: addresses,
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	block := func(kind string, b []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: b}))
	}
	return &Keys{Seed: seed, Certificate: block("CERTIFICATE", cert), PrivateKey: block("PRIVATE KEY", private), Workers: map[string]string{}}, nil
}

// covers returns an error if the certificate is of other hosts.
func (k *Keys) covers(host string) error {
	block, _ := pem.Decode([]byte(k.Certificate))
	if block == nil {
		return errors.New("the certificate is damaged")
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return err
	}
	return cert.VerifyHostname(host)
}

// ReadKeys reads the hub's file that Init wrote.
func ReadKeys(path string) (*Keys, error) {
	k := &Keys{file: path}
	if err := readSecret(path, k); err != nil {
		return nil, err
	}
	if k.Workers == nil || k.Certificate == "" {
		return nil, fmt.Errorf("%s is not the %s of alamos hub init", path, KeyFile)
	}
	return k, nil
}

// ReadToken reads the token of a worker.
func ReadToken(path string) (*Token, error) {
	t := &Token{}
	if err := readSecret(path, t); err != nil {
		return nil, err
	}
	if t.Name == "" || t.Certificate == "" {
		return nil, fmt.Errorf("%s is not a worker's token of alamos hub init", path)
	}
	return t, nil
}

// hub returns the hub's own key.
func (k *Keys) hub() (user nkeys.KeyPair, public string, err error) {
	if user, err = nkeys.FromSeed([]byte(k.Seed)); err != nil {
		return nil, "", fmt.Errorf("%s: %w", k.file, err)
	}
	public, err = user.PublicKey()
	return user, public, err
}

// serverConfig is the configuration of a NATS server for a hub that runs elsewhere.
var serverConfig = template.Must(template.New("").Parse(`# For nats-server -c {{.File}}, in this folder. The hub is the run: alamos run --hub nats://{{.Address}}
listen: "0.0.0.0:{{.Port}}"
max_payload: {{.MaxPayload}}
write_deadline: "{{.Patience}}s"
tls { cert_file: "{{.Certificate}}", key_file: "{{.PrivateKey}}", min_version: "1.3", timeout: {{.Patience}} }
authorization {
  timeout: {{.Patience}}
  users: [
    { nkey: {{.Hub}} }
{{- range .Workers}}
    { nkey: {{.Key}}, permissions: { publish: "{{.Publish}}", subscribe: [{{range .Subscribe}}"{{.}}", {{end}}] } }
{{- end}}
  ]
}
`))

// The files of WriteServer.
const (
	ServerFile      = "nats.conf"
	certificateFile = "certificate.pem"
	privateKeyFile  = "private-key.pem"
)

// WriteServer writes the configuration of a NATS server with the keys of [Init] into their folder. A
// server of one's own is for machines that all reach it, but not the machine of the run.
func WriteServer(dir string) error {
	k, err := ReadKeys(filepath.Join(dir, KeyFile))
	if err != nil {
		return err
	}
	_, public, err := k.hub()
	if err != nil {
		return err
	}
	_, port, err := net.SplitHostPort(k.Address)
	if err != nil {
		return fmt.Errorf("%s: %w", k.file, err)
	}
	type worker struct {
		Key, Publish string
		Subscribe    []string
	}
	var workers []worker
	for _, key := range k.valid() {
		p := permissions(key)
		workers = append(workers, worker{key, p.Publish.Allow[0], p.Subscribe.Allow})
	}
	var text strings.Builder
	if err := serverConfig.Execute(&text, map[string]any{
		"File": ServerFile, "Address": k.Address, "Port": port, "MaxPayload": maxMessage, "Patience": patience,
		"Certificate": certificateFile, "PrivateKey": privateKeyFile, "Hub": public, "Workers": workers,
	}); err != nil {
		return err
	}
	for name, text := range map[string]string{ServerFile: text.String(), certificateFile: k.Certificate, privateKeyFile: k.PrivateKey} {
		if err := disk.WriteSecret(filepath.Join(dir, name), []byte(text)); err != nil {
			return err
		}
	}
	return nil
}

func readSecret(path string, v any) error {
	b, err := disk.ReadFile(path)
	if err == nil {
		if err = json.Unmarshal(b, v); err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
	}
	return err
}

func writeSecret(path string, v any) error {
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	return disk.WriteSecret(path, append(b, '\n'))
}

func (k *Keys) write() error { return writeSecret(k.file, k) }

// revoke makes a worker's key worthless, also for later hubs.
func (k *Keys) revoke(public, why string) error {
	if now, err := ReadKeys(k.file); err == nil {
		k.Workers, k.Revoked = now.Workers, now.Revoked // some may be new
	}
	if k.Revoked == nil {
		k.Revoked = map[string]string{}
	}
	k.Revoked[public] = why
	return k.write()
}

// name returns the name of the worker with a public key.
func (k *Keys) name(public string) string {
	for name, key := range k.Workers {
		if key == public {
			return name
		}
	}
	return "an unknown worker"
}

// refuses returns why a worker gets no work, or "".
func (k *Keys) refuses(public string) string {
	for _, key := range k.Workers {
		if key == public {
			return k.Revoked[public]
		}
	}
	return "the hub does not know its key"
}

// valid returns the public keys that were not revoked.
func (k *Keys) valid() (public []string) {
	for _, key := range k.Workers {
		if k.Revoked[key] == "" {
			public = append(public, key)
		}
	}
	slices.Sort(public)
	return public
}

// serverTLS is the configuration of the hub's own server.
func (k *Keys) serverTLS() (*tls.Config, error) {
	cert, err := tls.X509KeyPair([]byte(k.Certificate), []byte(k.PrivateKey))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", k.file, err)
	}
	return &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{cert}}, nil
}

// trust is the configuration of a client that trusts this certificate and no other.
func trust(certificate string) *tls.Config {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM([]byte(certificate))
	return &tls.Config{MinVersion: tls.VersionTLS13, RootCAs: pool}
}
