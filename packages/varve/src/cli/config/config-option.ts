/** The option that names a configuration file. */
import { Option } from 'commander'
import { parseText } from '../support/parse-values.ts'

export const configOption = (): Option =>
  new Option('--config <file>', 'TOML or JSON file of options: varve config check looks at it')
    .env('VARVE_CONFIG')
    .argParser(parseText)

/** The options that a file can set. */
export const configurable = (options: readonly Option[]): readonly Option[] =>
  options.filter(({ long }) => long !== '--config')
