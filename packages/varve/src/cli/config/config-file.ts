/** A configuration file, checked against the options that it sets. */
import { dirname, extname, resolve } from 'node:path'
import { isStorageError, schema } from '@varve/core'
import type { Option } from 'commander'
import { readFile } from '../../files/patient-files.ts'
import { ManyProblems } from '../support/many-problems.ts'
import { unusableFile } from '../support/read-text-file.ts'
import type { ConfigEntry, ConfigParts, ConfigProblem } from './config-entry.ts'
import { jsonParts } from './json-parts.ts'
import { fieldOf, formOf, isPath } from './option-forms.ts'
import { tomlParts } from './toml-parts.ts'

const bytesMax = 1024 * 1024
const problemsMax = 100

/** A value of the file, as the option has it. */
export interface ConfigSetting {
  readonly option: Option
  readonly value: unknown
  readonly line: number
}

export interface CheckedConfig {
  readonly file: string
  readonly settings: readonly ConfigSetting[]
  /** In the order of the file. */
  readonly problems: readonly ConfigProblem[]
}

/** @throws StorageError `InvalidArgument` if the file cannot be read, or has no form that is known */
export async function readConfig(file: string, options: readonly Option[]): Promise<CheckedConfig> {
  const partsOf = partsByForm[extname(file).toLowerCase()]
  if (partsOf === undefined) throw unusableFile(`${file} must end in .toml or .json`)
  const { entries, problems } = partsOf(await textOf(file))
  const found: (ConfigSetting | ConfigProblem)[] = []
  const seen = new Map<string, ConfigEntry>()
  for (const entry of entries) {
    // Editors look for the schema there.
    if (entry.name === '$schema') continue
    const before = seen.get(entry.name)
    if (before === undefined) found.push(settingOf(entry, options, dirname(resolve(file))))
    else found.push({ ...placeOf(entry), rule: `${entry.name} was set before, in line ${before.line}` })
    seen.set(entry.name, before ?? entry)
  }
  const all = [...problems, ...found.filter((one) => 'rule' in one)]
  const inOrder = all.toSorted((a, b) => a.line - b.line || a.column - b.column)
  return { file, settings: found.filter((one) => 'option' in one), problems: inOrder.slice(0, problemsMax) }
}

const partsByForm: Readonly<Record<string, (text: string) => ConfigParts>> = { '.toml': tomlParts, '.json': jsonParts }

async function textOf(file: string): Promise<string> {
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw unusableFile(`${file} cannot be read`, cause)
  })
  if (bytes.length > bytesMax) throw unusableFile(`${file} has ${bytes.length} bytes, and may have ${bytesMax}`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw unusableFile(`${file} is not UTF-8`, cause)
  }
}

const placeOf = ({ line, column }: ConfigEntry) => ({ line, column })

function settingOf(entry: ConfigEntry, options: readonly Option[], folder: string): ConfigSetting | ConfigProblem {
  const option = options.find((one) => fieldOf(one) === entry.name)
  if (option === undefined) return { ...placeOf(entry), rule: unknownField(entry.name, options) }
  try {
    const value = schema.checked(entry.name, formOf(option), entry.value)
    return { option, value: isPath(option) ? resolve(folder, value as string) : value, line: entry.line }
  } catch (error) {
    if (!isStorageError(error, 'InvalidArgument')) throw error
    return { ...placeOf(entry), rule: error.message.replace(/\.$/, '') }
  }
}

function unknownField(name: string, options: readonly Option[]): string {
  const nearest = schema.nearestOf(name, options.map(fieldOf))
  const meant = nearest === undefined ? '' : `; did you mean ${nearest}?`
  return `there is no field ${JSON.stringify(name.slice(0, 64))}${meant}`
}

export const problemText = (file: string, { line, column, rule }: ConfigProblem): string =>
  `${file}:${line}:${column}: ${rule}`

/** All that is wrong with the file, in one error. */
export function configError({ file, problems }: CheckedConfig): ManyProblems {
  const lines = problems.map((problem) => problemText(file, problem))
  return new ManyProblems(`${file} cannot be used: ${mistakes(lines.length)}.`, lines)
}

export const mistakes = (count: number): string =>
  count === 1 ? 'one mistake' : `${count} mistakes${count < problemsMax ? '' : ' or more'}`
