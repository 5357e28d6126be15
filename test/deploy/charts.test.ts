/** The charts as Helm renders them. What a container of them would run is started here; a cluster is not. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { binary, scratchPaths, varve } from '../cli/run-varve.ts'
import { freePort } from '../support/free-port.ts'
import { deploy } from './expressions.ts'

const next = scratchPaths()
const helm = process.env['VARVE_HELM'] ?? 'helm'
const isAbsent = spawnSync(helm, ['version']).error !== undefined

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string; readonly scheme?: string }
}
interface Container {
  readonly args: readonly string[]
  readonly env?: readonly { readonly name: string; readonly value: string }[]
  readonly readinessProbe: Probe
  readonly livenessProbe: Probe
}
interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly data?: Readonly<Record<string, string>>
  readonly spec?: {
    readonly template?: { readonly spec: { readonly containers: readonly [Container] } }
  }
}

/** The version of Kubernetes that Helm would find. */
const cluster = ['--kube-version', '1.33.0']

function rendered(chart: string, ...options: readonly string[]): readonly Manifest[] {
  const args = ['template', 'shop', join(deploy, 'helm', chart), ...cluster, ...options]
  const { status, stdout, stderr } = spawnSync(helm, args, { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return parseAllDocuments(stdout).flatMap((document) =>
    document.contents === null ? [] : [document.toJS() as Manifest],
  )
}

const containerOf = (manifests: readonly Manifest[], kind: string): Container =>
  manifests.find((one) => one.kind === kind)?.spec?.template?.spec.containers[0] as Container

const kindsOf = (manifests: readonly Manifest[]): readonly string[] => manifests.map(({ kind }) => kind).toSorted()

// Only Helm can render its templates.
describe.skipIf(isAbsent)(`the charts${isAbsent ? ': Helm is absent' : ''}`, { timeout: 120_000 }, () => {
  it.each(['varve', 'varve-nodes'])('%s has no mistake that Helm finds', (chart) => {
    const { status, stdout } = spawnSync(helm, ['lint', '--strict', join(deploy, 'helm', chart)], { encoding: 'utf8' })
    expect({ status, stdout }).toMatchObject({ status: 0 })
  })

  it('render a server that starts with its configuration, is alive and ready as the probes ask, and ends', async () => {
    const manifests = rendered(
      'varve',
      '--set',
      'keys.accessKeyId=root-key',
      '--set',
      'keys.secretAccessKey=root-secret',
    )
    expect(kindsOf(manifests)).toEqual(['ConfigMap', 'NetworkPolicy', 'Secret', 'Service', 'Service', 'StatefulSet'])
    const { args, readinessProbe, livenessProbe } = containerOf(manifests, 'StatefulSet')
    const folder = next()
    const port = await freePort()
    mkdirSync(folder)
    const { data = {} } = manifests.find(({ kind }) => kind === 'ConfigMap') as Manifest
    const config = JSON.parse(data['varve.json'] ?? '') as object
    expect(config).toMatchObject({ dir: '/data', host: '0.0.0.0', port: 9000 })
    const here = { ...config, dir: join(folder, 'data'), host: '127.0.0.1', port }
    writeFileSync(join(folder, 'varve.json'), JSON.stringify(here))
    const words = args.map((word) => word.replace('/etc/varve', folder))
    const keys = { VARVE_ACCESS_KEY_ID: 'root-key', VARVE_SECRET_ACCESS_KEY: 'root-secret' }
    const env = { ...process.env, ...keys }
    const server = spawn(process.execPath, [binary, ...words], { env, stdio: 'ignore' })
    const ended = once(server, 'close')
    for (const { httpGet } of [readinessProbe, livenessProbe]) {
      const answer = () =>
        fetch(`http://127.0.0.1:${port}${httpGet.path}`).then(
          ({ status }) => status,
          () => 0,
        )
      await expect.poll(answer, { timeout: 60_000 }).toBe(200)
    }
    server.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  })

  it('render what their values choose', () => {
    const options = ['metrics.serviceMonitor.enabled=true', 'tls.secret=cert', 'persistence.storageClass=fast']
    const set = [...options, 'keys.existingSecret=varve-keys', 'image.repository=REGISTRY/varve']
    const manifests = rendered(
      'varve',
      '--api-versions',
      'monitoring.coreos.com/v1',
      ...set.flatMap((one) => ['--set', one]),
    )
    expect(kindsOf(manifests)).toContain('ServiceMonitor')
    expect(kindsOf(manifests)).not.toContain('Secret')
    expect(containerOf(manifests, 'StatefulSet').readinessProbe.httpGet.scheme).toBe('HTTPS')
    expect(JSON.stringify(manifests)).toContain('"secretName":"cert"')
  })

  it('render nodes with the command line of the page', async () => {
    const [journal, blobs] = [
      'postgres://varve@shop-db-primary:5432/varve?sslmode=verify-full',
      's3://varve-blobs/shop?region=eu-central-1&store=shop',
    ]
    const set = ['--set-string', `journal=${journal}`, '--set-string', `blobs=${blobs}`]
    const manifests = rendered('varve-nodes', '--set', 'image.repository=REGISTRY/varve-node', ...set)
    expect(kindsOf(manifests)).toEqual(['Deployment', 'PodDisruptionBudget', 'Service'])
    const { args, env = [] } = containerOf(manifests, 'Deployment')
    const given = Object.fromEntries(env.map(({ name, value }) => [name, value]))
    expect(given).toMatchObject({ NODE_JOURNAL: journal, NODE_BLOBS: blobs, VARVE_DIR: '' })
    const [, ...options] = args.map((word) => word.replace(/^\$\((\w+)\)$/, (_, name: string) => given[name] ?? ''))
    const keys = { VARVE_ACCESS_KEY_ID: 'a', VARVE_SECRET_ACCESS_KEY: 'b', VARVE_DIR: '' }
    expect(await varve(['config', 'show', ...options], keys)).toMatchObject({ status: 0, stderr: '' })
  })
})
