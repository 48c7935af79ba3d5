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
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
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

// KeyFile is the name of the hub's file in the folder that Init writes.
const KeyFile = "hub.key"

// Init writes the keys of a hub and the tokens of workers 1 to n into a folder. The files of an
// earlier call stay, so that it can add workers. address is the host and port that workers connect
// to. It returns the files of the tokens that are new.
func Init(dir, address string, n int) (tokens []string, err error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil || host == "" {
		return nil, fmt.Errorf("want a host and a port, as in gpu1.example.org:4321, have %q", address)
	}
	path := filepath.Join(dir, KeyFile)
	k, err := ReadKeys(path)
	if errors.Is(err, fs.ErrNotExist) {
		k, err = newKeys(host)
	}
	if err != nil {
		return nil, err
	}
	k.Address, k.file = address, path
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

func readSecret(path string, v any) error {
	b, err := disk.ReadFile(path)
	if err == nil {
		if err = json.Unmarshal(b, v); err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
	}
	return err
}

// writeSecret writes a file that only its owner can read.
func writeSecret(path string, v any) error {
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".secret-*") // with mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(append(b, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("writing %s: %w", path, err), os.Remove(f.Name()))
	}
	return nil
}

func (k *Keys) write() error { return writeSecret(k.file, k) }

// revoke makes a worker's key worthless, also for later hubs.
func (k *Keys) revoke(public, why string) error {
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
