/** Every option of `varve serve` by construction: an option comes before its variable, the variable before the file. */
import { readFile } from 'node:fs/promises'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command, type Option } from 'commander'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { serveOptions } from '../serve/serve-command.ts'
import { configurable } from './config-option.ts'
import { configSchema } from './config-schema.ts'
import { type EffectiveSetting, effectiveSettings, settingLine } from './effective-settings.ts'
import { fieldOf, formOf } from './option-forms.ts'

const folder = mkdtempSync(join(tmpdir(), 'varve-config-'))
const file = join(folder, 'varve.json')
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(() => vi.unstubAllEnvs())

/** Three values that the option accepts, as texts. */
function samplesOf(option: Option): readonly [string, string, string] {
  const { argChoices = [] } = option
  const candidates = [...argChoices, ...argChoices, '1', '2', '3', '1s', '2s', '3s', '/a', '/b', '/c', 'warn', 'info']
  const accepted = candidates.filter((text) => {
    try {
      formOf(option).read(formOf(option).json?.['type'] === 'integer' ? Number(text) : text)
      return true
    } catch {
      return false
    }
  })
  return accepted.slice(0, 3) as unknown as [string, string, string]
}

const valueOf = (option: Option, text: string): unknown =>
  option.required ? (formOf(option).json?.['type'] === 'integer' ? Number(text) : text) : !option.negate

function settingsOf(args: readonly string[], values?: Readonly<Record<string, unknown>>) {
  if (values !== undefined) writeFileSync(file, JSON.stringify(values))
  const command = new Command()
  for (const option of serveOptions()) command.addOption(option)
  command.parse([...(values === undefined ? [] : ['--config', file]), ...args], { from: 'user' })
  return effectiveSettings(command)
}

const settingOf = (settings: readonly EffectiveSetting[], option: Option) =>
  settings.find(({ name }) => name === fieldOf(option))

const options = configurable(serveOptions())
const named = options.map((option) => [option.long as string, option] as const)

describe.each(named)('%s', (long, option) => {
  it('comes before its variable, which comes before the file, which comes before the default', async () => {
    const [inFile, inVariable, inOption] = option.required ? samplesOf(option) : (['', '', ''] as const)
    const values = { [fieldOf(option)]: valueOf(option, inFile) }
    const sourceWith = async (args: readonly string[], of = values) => settingOf(await settingsOf(args, of), option)
    expect(await sourceWith([], {})).toMatchObject({ source: 'default' })
    const fromFile = await sourceWith([])
    expect(fromFile).toMatchObject({ source: `${file}:1` })
    if (option.envVar !== undefined) {
      vi.stubEnv(option.envVar, option.required ? inVariable : '1')
      expect(await sourceWith([])).toMatchObject({ source: option.envVar })
    }
    const fromOption = await sourceWith(option.required ? [long, inOption] : [long])
    expect(fromOption).toMatchObject({ source: long })
    if (option.required && inFile !== inOption) expect(fromOption?.value).not.toEqual(fromFile?.value)
  })

  it('is in the published schema', async () => {
    const { properties } = configSchema(serveOptions()) as { properties: Record<string, unknown> }
    expect(properties[fieldOf(option)]).toMatchObject({ description: option.description })
  })

  it('is in docs/cli.md with its variable', async () => {
    const page = await readFile(new URL('../../../../../docs/cli.md', import.meta.url), 'utf8')
    const rows = page.split('\n').filter((line) => line.startsWith('|') && line.includes(`${long}`))
    expect(rows.some((row) => option.envVar === undefined || row.includes(option.envVar))).toBe(true)
  })
})

describe('what is in effect', () => {
  it('is a file that has the same effect', async () => {
    const args = [
      '--grace',
      '90s',
      '--scrub',
      '10MiB',
      '--host-suffix',
      'a,b',
      '--no-console',
      '--metrics',
      '--address-rate',
      '0.5/20',
    ]
    const settings = await settingsOf(args)
    const again = join(folder, 'again.toml')
    writeFileSync(again, settings.map(settingLine).join('\n'))
    const same = await settingsOf(['--config', again])
    const values = (all: readonly EffectiveSetting[]) => all.map(({ name, value }) => [name, value])
    // The directory is named from the folder of the file.
    expect(values(same).slice(1)).toEqual(values(settings).slice(1))
  })
})
