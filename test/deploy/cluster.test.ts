/** The files for several nodes: command lines that varve takes, variables and services that there are, and what HAProxy says of its file. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { varve } from '../cli/run-varve.ts'
import { deploy } from './expressions.ts'

// Every command is a process that starts Node.
vi.setConfig({ testTimeout: 60_000 })

interface Service {
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly depends_on?: Readonly<Record<string, unknown>>
  readonly volumes?: readonly string[]
  readonly healthcheck?: unknown
  readonly stop_grace_period?: string
}
interface Compose {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes: Readonly<Record<string, unknown>>
}

const read = (path: string): string => readFileSync(join(deploy, path), 'utf8')
const text = read('cluster/compose.yaml')
const { services, volumes } = parseYaml(text, { merge: true }) as Compose
const nodes = Object.entries(services).filter(([name]) => name.startsWith('node-'))
const keys = {
  VARVE_ACCESS_KEY_ID: 'root-key',
  VARVE_SECRET_ACCESS_KEY: 'root-secret',
  AWS_ACCESS_KEY_ID: 'root-key',
  AWS_SECRET_ACCESS_KEY: 'root-secret',
}

/** What runs without an end is shown instead. */
const shown = ([command = '', ...rest]: readonly string[]) =>
  command === 'serve' ? ['config', 'show', ...rest] : [command, ...rest]

describe('the compose file of a cluster', () => {
  it('has three nodes that differ in nothing, and may end their requests', () => {
    expect(nodes).toHaveLength(3)
    for (const [, node] of nodes) {
      expect(node).toEqual(nodes[0]?.[1])
      const after = (option: string) => Number.parseInt(node.command?.[node.command.indexOf(option) + 1] ?? '', 10)
      const stopping = after('--drain') + after('--grace')
      expect(Number.parseInt(node.stop_grace_period ?? '', 10)).toBeGreaterThan(stopping)
    }
  })

  it.each(['node-1', 'blobs'])('starts %s with a command line that varve takes', async (name) => {
    const { status, stderr } = await varve(shown(services[name]?.command ?? []), { ...keys, VARVE_DIR: '' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  })

  it('starts a node although the image names a directory', async () => {
    const node = services['node-1']
    expect(node?.environment).toMatchObject({ VARVE_DIR: '' })
    // No database listens at this port, so it ends. With a directory it would not even try.
    const args = (node?.command ?? []).map((word) => word.replace('balancer:5432', '127.0.0.1:1'))
    const { status, stderr } = await varve([...args, '--port', '0'], { ...keys, VARVE_DIR: '' })
    expect(status).not.toBe(0)
    expect(stderr).not.toContain('Name a directory')
    expect(stderr).toContain('127.0.0.1')
  })

  it('names only services, volumes and variables that there are', () => {
    const all = Object.values(services)
    const needed = all.flatMap(({ depends_on: names = {} }) => Object.keys(names))
    expect(needed.filter((name) => services[name] === undefined)).toEqual([])
    const mounted = all.flatMap(({ volumes: of = [] }) => of).map((volume) => volume.split(':')[0] as string)
    const named = mounted.filter((name) => !name.startsWith('.'))
    expect(named.toSorted()).toEqual(Object.keys(volumes).toSorted())
    const used = new Set([...text.matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name))
    const given = [...read('cluster/cluster.env.example').matchAll(/^(\w+)=$/gm)].map(([, name = '']) => name)
    expect([...used].toSorted()).toEqual(given.toSorted())
  })

  it('waits only for services that report their health', () => {
    for (const { depends_on: names = {} } of Object.values(services))
      for (const [name, how] of Object.entries(names)) {
        // The image of Varve has a check of its own.
        if ((how as { condition: string }).condition === 'service_healthy' && name !== 'blobs')
          expect(services[name]?.healthcheck).toBeDefined()
      }
  })
})

describe('the balancer of a cluster', () => {
  const balancer = read('cluster/haproxy.cfg')

  it('has every node and every server of PostgreSQL', () => {
    const servers = [...balancer.matchAll(/^ {2}server (\S+) (\S+):(\d+)$/gm)]
    for (const [, name, host] of servers) expect(host).toBe(name)
    const wanted = Object.keys(services).filter((name) => /^(node|postgres)-\d$/.test(name))
    expect([...new Set(servers.map(([, name = '']) => name))].toSorted()).toEqual(wanted.toSorted())
  })

  it('has the same nodes for requests that wait while none is ready', () => {
    const [ready, alive] = ['nodes', 'living-nodes'].map((name) => {
      const [, backend = ''] = new RegExp(`^backend ${name}$([^]*?)(?=^\\S)`, 'm').exec(balancer) ?? []
      return backend.match(/^ {2}server .+$/gm)
    })
    expect(ready).toHaveLength(3)
    expect(alive).toEqual(ready)
  })

  const { error, status, stderr } = spawnSync('haproxy', ['-c', '-f', join(deploy, 'cluster/haproxy.cfg')], {
    encoding: 'utf8',
  })
  // Without HAProxy nobody can say.
  it.skipIf(error !== undefined)('is one that HAProxy takes', () => {
    expect({ status, stderr }).toMatchObject({ status: 0 })
  })
})

describe('Patroni of a cluster', () => {
  it('acknowledges nothing that is on one server only, with settings that Varve does not refuse', () => {
    const { bootstrap } = parseYaml(read('cluster/patroni.yml')) as {
      readonly bootstrap: { readonly dcs: { readonly postgresql: { readonly parameters: object } } }
    }
    expect(bootstrap.dcs).toMatchObject({ synchronous_mode: true, synchronous_mode_strict: true })
    expect(bootstrap.dcs.postgresql.parameters).toMatchObject({
      synchronous_commit: 'on',
      fsync: 'on',
      full_page_writes: 'on',
    })
  })
})

describe('the chart of nodes', () => {
  const chart = 'helm/varve-nodes'
  const deployment = read(`${chart}/templates/deployment.yaml`)
  const values = parseYaml(read(`${chart}/values.yaml`)) as Readonly<Record<string, unknown>>

  it('starts a node with a command line that varve takes', async () => {
    const [, list = ''] = /^ +args: \[(.+)\]$/m.exec(deployment) ?? []
    const given: Readonly<Record<string, string>> = {
      '$(NODE_JOURNAL)': String(values['journal']),
      '$(NODE_BLOBS)': String(values['blobs']),
      '$(NODE_GRACE)': `${String(values['graceSeconds'])}s`,
    }
    const args = list.split(', ').map((word) => given[word] ?? word)
    const { status, stderr } = await varve(shown(args), { ...keys, VARVE_DIR: '' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  })

  it('uses every value that it has, and no other', () => {
    const templates = readdirSync(join(deploy, chart, 'templates')).map((name) => read(`${chart}/templates/${name}`))
    const used = new Set([...templates.join('').matchAll(/\.Values\.(\w+)/g)].map(([, name = '']) => name))
    expect([...used].toSorted()).toEqual(Object.keys(values).toSorted())
  })
})
