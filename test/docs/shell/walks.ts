/** What the commands of a page need beside the page: files, servers, and the steps of others between them. */
import type { Step } from './run-page.ts'
import { blocksOf } from '../blocks.ts'
import { pastDay } from './past-day.ts'

/** Where the commands of a page run. `store`: beside the fixture store, which is `./data`; `project`: in one into which the tarballs go. */
type Place = 'store' | 'empty' | 'project' | 'clone'

export interface Walk {
  readonly place?: Place
  /** Shell commands before the first one of the page. */
  readonly before?: string
  readonly env?: Readonly<Record<string, string>>
  readonly replaced?: readonly (readonly [from: string | RegExp, to: string])[]
  /** What differs for commands that begin so. */
  readonly steps?: readonly (Pick<Step, 'status' | 'before' | 'replaced' | 'answer'> & { readonly starts: string })[]
  /** A program that all commands need, and that a machine may lack. */
  readonly needs?: string
}

/** Keys of root, for servers and for clients. */
const keys = {
  VARVE_ACCESS_KEY_ID: 'root-key',
  VARVE_SECRET_ACCESS_KEY: 'root-secret',
  AWS_ACCESS_KEY_ID: 'root-key',
  AWS_SECRET_ACCESS_KEY: 'root-secret',
}

const day = pastDay.toISOString().slice(0, 10)
const compact = pastDay
  .toISOString()
  .replace(/\.\d+Z$/, 'z')
  .replaceAll(/[-:]/g, '')
  .toLowerCase()
/** The configuration file of a page, in its place. */
const configured = (page: string, path: string): string =>
  `cat > ${path} <<'TOML'\n${blocksOf(page).find(({ language }) => language === 'toml')?.text ?? ''}TOML`
const served = 'varve serve ./data > served.log 2>&1 & server=$!; until grep -q Serving served.log; do sleep 0.05; done'
const policy = (statement: object): string => JSON.stringify({ Version: '2012-10-17', Statement: [statement] })
const writePolicy = `echo '${policy({ Effect: 'Allow', Action: 's3:*', Resource: '*' })}' > policy.json`
const aside = 's3://other/shop'
/** Waits until a server has written its replica. */
const written = (at: string): string => `until varve backups show ${at} > /dev/null 2>&1; do sleep 0.2; done`

export const walks: Readonly<Record<string, Walk>> = {
  'README.md': {
    place: 'project',
    before: 'npm install varve && node readme.mjs && echo cat > cat.jpg',
    steps: [{ starts: 'varve migrate', before: 'stop_server' }],
  },
  'bench/README.md': { place: 'project' },
  'packages/varve/README.md': {
    place: 'project',
    before: 'npm install varve && npx varve init --dir ./data && npx varve mb s3://photos --dir ./data',
  },
  'docs/access.md': {
    needs: 'curl',
    env: keys,
    before: [
      `varve identities add alice > /dev/null`,
      served,
      `aws s3api put-bucket-policy --bucket photos --policy '${policy({ Sid: 'keep', Effect: 'Deny', Principal: '*', Action: 's3:DeleteObject', Resource: 'arn:aws:s3:::photos/*' })}'`,
      'export KEY=$AWS_ACCESS_KEY_ID SECRET=$AWS_SECRET_ACCESS_KEY',
    ].join('\n'),
  },
  'docs/archives.md': { env: keys, before: 'mkdir pictures && echo one > pictures/one.txt' },
  'docs/browsers.md': {},
  'docs/cli.md': {
    env: keys,
    before: [
      "echo 'port = 9000' > varve.toml",
      'mkdir pictures ~/.zfunc ~/.config ~/.config/fish ~/.config/fish/completions',
      'echo one > pictures/one.txt; echo photo > photo.jpg; export VARVE_DIR=./data',
    ].join('\n'),
    steps: [
      { starts: 'varve diff s3://photos --from 1200', replaced: [['--from 1200 --to 900', '--from 38 --to 30']] },
      ...['varve restore', 'varve undo --by', 'varve merge s3://photos-try\n'].map((starts) => ({
        starts,
        answer: 'yes',
      })),
      { starts: 'varve import photos.varve\n', before: 'stop_server; export VARVE_DIR=./other; varve init' },
      {
        starts: 'varve import photos.varve s3://photos-then',
        before: 'varve export s3://photos --with-history --to photos.varve --overwrite --dir ./data',
      },
      { starts: 'varve import store.varve ./data-again', before: 'unset VARVE_DIR' },
      { starts: 'varve keys', before: 'export VARVE_DIR=./data' },
    ],
  },
  'docs/configuration.md': {
    env: { VARVE_DIR: '' },
    before: [
      'mkdir -p /etc/varve/tls /var/lib/varve; cp -r data/. /var/lib/varve',
      `echo '{"identities":[{"name":"root","accessKeyId":"root-key","secretAccessKey":"root-secret","root":true}]}' > /etc/varve/identities.json`,
      configured('docs/configuration.md', '/etc/varve/varve.toml'),
      'echo a-token-of-many-letters > /etc/varve/metrics.token',
      'openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=localhost -keyout /etc/varve/tls/key.pem -out /etc/varve/tls/fullchain.pem 2> /dev/null',
      'chmod 600 /etc/varve/*.json /etc/varve/*.token /etc/varve/tls/key.pem',
    ].join('\n'),
    needs: 'openssl',
  },
  'docs/console.md': { place: 'empty' },
  'docs/control.md': {
    needs: 'curl',
    env: keys,
    steps: [{ starts: 'curl --aws-sigv4', before: 'export KEY=$AWS_ACCESS_KEY_ID SECRET=$AWS_SECRET_ACCESS_KEY' }],
  },
  'docs/encryption.md': {
    before: 'mkdir -p /etc/varve',
    steps: [{ starts: 'varve keys rotate', before: 'stop_server' }],
  },
  'docs/erasing.md': {
    before: 'varve log-key > log.key',
    steps: [
      {
        starts: 'varve erase s3://site/config.json --all-versions --live --yes --receipt',
        before: 'echo x | varve put - s3://site/config.json',
      },
    ],
  },
  'docs/identities.md': {
    before: writePolicy,
    replaced: [['AKIA0123456789ABCDEF', '$(varve identities show deployer | grep -o "AKIA[A-Z0-9]*" | head -n 1)']],
  },
  'docs/logs.md': { env: keys },
  'docs/looking-back.md': { env: keys, before: served, replaced: [['--at-12345', '--at-38']] },
  'docs/mcp.md': {
    place: 'project',
    steps: ['varve undo', 'varve merge'].map((starts) => ({ starts, answer: 'yes' })),
    replaced: [['--from 42', '--from 39']],
  },
  'docs/observing.md': { before: 'echo a-token-of-many-letters > metrics.token; chmod 600 metrics.token' },
  'docs/postgres.md': { place: 'project', needs: 'openssl' },
  'docs/proofs.md': {
    before: 'varve get s3://photos/cat.jpg cat.jpg',
    steps: [{ starts: 'varve checkpoint --consistent-with', before: 'varve put cat.jpg s3://photos/another.jpg' }],
    replaced: [['120043', '$(sed -n 2p monday.checkpoint)']],
  },
  'docs/snapshots.md': { env: keys, before: served },
  'docs/quotas.md': { before: 'varve identities add ann > /dev/null' },
  'docs/replicas.md': {
    env: keys,
    before: 'mkdir -p /etc/varve /mnt/other-disk',
    steps: [
      // The page has other examples with the same names.
      {
        starts: 'varve restore-store s3://backups/shop ./data-again\n',
        before: `rm -rf data-again; ${written('s3://backups/shop')}`,
      },
      { starts: 'varve serve ./data --keyring', replaced: [['s3://backups/shop', aside]] },
      {
        starts: 'varve restore-store s3://backups/shop ./data-again --keyring',
        before: `rm -rf data-again; ${written(`${aside} --keyring /etc/varve/keyring.json`)}`,
        replaced: [['s3://backups/shop', aside]],
      },
      { starts: 'varve verify --repair', before: 'stop_server' },
      {
        starts: 'varve restore-store s3://backups/shop ./data-again --from',
        before: 'rm -rf data-again; varve backup /mnt/other-disk/copy --dir ./data',
      },
      { starts: 'varve restore-store s3://backups/shop ./data-again --instant', before: 'rm -rf data-again' },
      { starts: 'varve backup /mnt', before: 'stop_server; rm -rf /mnt/other-disk/copy' },
      { starts: 'varve restore-store /mnt', before: 'rm -rf data-again' },
    ],
  },
  'docs/s3-blobs.md': { place: 'project' },
  'docs/serving.md': {
    needs: 'openssl',
    before: [
      `echo '{"identities":[{"name":"root","accessKeyId":"root-key","secretAccessKey":"root-secret","root":true}]}' > identities.json; chmod 600 identities.json`,
      'openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=localhost -keyout privkey.pem -out fullchain.pem 2> /dev/null',
    ].join('\n'),
  },
}

/** What a page has instead of what a test has, on all pages. */
export const replacedOnAll: readonly (readonly [string | RegExp, string])[] = [
  ['2026-08-01T12:00:00Z', `${day}T12:00:00Z`],
  ['2026-08-01', day],
  [/20261120t100000z/g, compact],
]
