/** The JSON Schema of configuration files, from the options that they set. */
import type { schema } from '@varve/core'
import type { Option } from 'commander'
import { configurable } from './config-option.ts'
import { fieldOf, formOf } from './option-forms.ts'

export const configSchema = (options: readonly Option[]): schema.JsonSchema => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Configuration of varve serve',
  type: 'object',
  properties: {
    $schema: { type: 'string' },
    ...Object.fromEntries(configurable(options).map((option) => [fieldOf(option), described(option)])),
  },
  additionalProperties: false,
})

function described(option: Option): schema.JsonSchema {
  const { description, defaultValue, defaultValueDescription, negate, required } = option
  const initial: unknown = required ? (defaultValueDescription ?? defaultValue) : negate
  return { description, ...formOf(option).json, ...(initial !== undefined && { default: initial }) }
}
