/** Which value each option of a command has, and where the value comes from. */
import { stringify } from 'smol-toml'
import type { Command } from 'commander'
import { printable, unsafeInLines } from '../support/printable.ts'
import { configurable } from './config-option.ts'
import { applyConfig } from './configured.ts'
import { fieldOf, writtenForm } from './option-forms.ts'

export interface EffectiveSetting {
  /** The field of a configuration file. */
  readonly name: string
  /** As a file has it; `null` if the option is not set. */
  readonly value: unknown
  /** `--port`, `VARVE_PORT`, `/etc/varve.toml:3` or `default`. */
  readonly source: string
}

/** @throws StorageError `InvalidArgument` for a file that cannot be used */
export async function effectiveSettings(command: Command): Promise<readonly EffectiveSetting[]> {
  const file = command.getOptionValue('config') as string | undefined
  const settings = await applyConfig(command)
  const lines = new Map(settings.map(({ option, line }) => [option, `${file}:${line}`]))
  return configurable(command.options).map((option) => {
    const name = option.attributeName()
    const value: unknown = command.getOptionValue(name)
    const sources: Readonly<Record<string, string | undefined>> = {
      cli: option.long,
      env: option.envVar,
      config: lines.get(option),
    }
    const source = sources[command.getOptionValueSource(name) ?? ''] ?? 'default'
    return { name: fieldOf(option), value: value === undefined ? null : writtenForm(option, value), source }
  })
}

/** A line of TOML, which a configuration file may have. */
export const settingLine = ({ name, value, source }: EffectiveSetting): string =>
  value === null ? `# ${name} is not set` : `${plainToml({ [name]: value })} # ${printable(source)}`

/** TOML has escapes in strings for characters that a terminal would interpret. */
const plainToml = (table: Readonly<Record<string, unknown>>): string =>
  stringify(table).trimEnd().replace(unsafeInLines, tomlEscape)

function tomlEscape(character: string): string {
  const code = character.codePointAt(0) as number
  const digits = code.toString(16)
  return code > 0xffff ? `\\U${digits.padStart(8, '0')}` : `\\u${digits.padStart(4, '0')}`
}
