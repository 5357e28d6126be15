/** The files of `deploy` use only options, fields and variables that `varve` has, and name files that exist. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { varve } from '../cli/run-varve.ts'
import { files } from '../tidy/tree.ts'
import { deploy } from './expressions.ts'

// Every command is a process that starts Node.
vi.setConfig({ testTimeout: 60_000 })

const read = (path: string) => readFileSync(join(deploy, path), 'utf8')
const own = files.filter((path) => path.startsWith('deploy/')).map((path) => path.slice('deploy/'.length))

interface Compose {
  readonly services: { readonly varve: { readonly command: readonly string[] } }
}

/** The arguments after the name of the command, by the file that has them. */
const commandLines: readonly (readonly [where: string, args: readonly string[]])[] = [
  ...[...read('systemd/varve.service').matchAll(/^Exec\w+=\/usr\/bin\/varve (.+)$/gm)].map(
    ([, line = '']) => ['systemd/varve.service', line.split(' ')] as const,
  ),
  ['Dockerfile', JSON.parse(/^CMD (.+)$/m.exec(read('Dockerfile'))?.[1] ?? '') as string[]],
  ['compose.yaml', (parseYaml(read('compose.yaml')) as Compose).services.varve.command],
  [
    'helm/varve/templates/statefulset.yaml',
    (/^ +args: \[(.+)\]$/m.exec(read('helm/varve/templates/statefulset.yaml'))?.[1] ?? '').split(', '),
  ],
]

/** A file of another machine becomes one that is here. */
const here = (args: readonly string[]) =>
  args.map((arg) => (arg.startsWith('/etc/varve/varve.') ? join(deploy, 'systemd/varve.toml') : arg))

describe('a command line of deploy', () => {
  it('is found in every kind of file', () => {
    expect(commandLines.map(([where]) => where)).toHaveLength(5)
  })

  it.each(commandLines)('in %s is one that varve takes', async (_, args) => {
    const [command = '', ...rest] = here(args)
    // What serves for ever is shown instead.
    const shown = command === 'serve' ? ['config', 'show', ...rest] : [command, ...rest]
    const { status, stderr } = await varve(shown)
    // The files that the configuration names are not here.
    expect({ status, stderr }).toEqual({ status: command === 'config' ? 1 : 0, stderr: '' })
  })
})

/** Pages that other tests compare with the options of `varve serve`. */
const page = (name: string) => read(`../docs/${name}`)

describe('a configuration of deploy', () => {
  it('has only fields that there are', () => {
    const { properties } = JSON.parse(page('config.schema.json')) as { readonly properties: object }
    const fields = Object.keys(properties)
    const { config } = parseYaml(read('helm/varve/values.yaml')) as { readonly config: object }
    const chart = [...read('helm/varve/templates/configmap.yaml').matchAll(/"([a-z-]+)" (?="|\d|true)/g)]
    const unit = [...read('systemd/varve.toml').matchAll(/^([a-z-]+) = /gm)]
    const used = [...[...chart, ...unit].map(([, name = '']) => name), ...Object.keys(config)]
    expect(used).toEqual(
      expect.arrayContaining(['dir', 'port', 'metrics', 'tls-cert', 'tls-key', 'identities', 'grace']),
    )
    expect(used.filter((name) => !fields.includes(name))).toEqual([])
  })

  it('has only variables that there are', () => {
    const known = new Set([...page('cli.md').matchAll(/`(VARVE_[A-Z_0-9]+)`/g)].map(([, name]) => name))
    const used = own.flatMap((path) => [...read(path).matchAll(/\bVARVE_[A-Z_]+/g)].map(([name]) => name))
    expect(used.length).toBeGreaterThan(10)
    expect(used.filter((name) => !known.has(name) && name !== 'VARVE_HEALTH_URL')).toEqual([])
  })
})

describe('docs/observing.md', () => {
  it('shows the scrape configuration', () => {
    const [, text = ''] = /```yaml\n([^]*?)```/.exec(page('observing.md')) ?? []
    const { scrape_configs: whole } = parseYaml(read('prometheus/scrape.yml')) as { readonly scrape_configs: unknown }
    expect(parseYaml(text)).toEqual({ scrape_configs: whole })
  })
})

describe('a runbook that an alert names', () => {
  it('is there', () => {
    const named = [...read('prometheus/alerts.yml').matchAll(/runbook: (\S+)/g)].map(([, path = '']) => path)
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter((path) => !existsSync(join(deploy, '..', path)))).toEqual([])
  })
})
