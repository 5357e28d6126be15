/** The options of a command, with what a configuration file sets: an option comes first, then its variable, then the file. */
import type { Command } from 'commander'
import { configError, type ConfigSetting, readConfig } from './config-file.ts'
import { configurable } from './config-option.ts'

/**
 * Sets what the file of `--config` sets, and returns it. Again, it sets what the file has then.
 * @throws StorageError `InvalidArgument`, with every mistake of the file
 */
export async function applyConfig(command: Command): Promise<readonly ConfigSetting[]> {
  const file = command.getOptionValue('config') as string | undefined
  if (file === undefined) return []
  const config = await readConfig(file, configurable(command.options))
  if (config.problems.length > 0) throw configError(config)
  for (const option of command.options) {
    const name = option.attributeName()
    if (command.getOptionValueSource(name) === 'config')
      command.setOptionValueWithSource(name, option.negate ? true : option.defaultValue, 'default')
  }
  for (const { option, value } of config.settings) {
    const name = option.attributeName()
    if (!isGiven(command, name)) command.setOptionValueWithSource(name, value, 'config')
  }
  return config.settings
}

const isGiven = (command: Command, name: string): boolean =>
  ['cli', 'env'].includes(command.getOptionValueSource(name) ?? '')
