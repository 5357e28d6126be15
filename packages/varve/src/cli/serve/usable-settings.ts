/** Whether a server could use what a configuration file sets: the files that it names, and values that need each other. */
import { isStorageError } from '@varve/core'
import { loadIdentityFile } from '../../identities/identity-file.ts'
import { loadKeyringFile } from '../../keyring/keyring-file.ts'
import { replicaSchedules } from '../../replicas/replica-settings.ts'
import { loadWebhookFile } from '../../webhooks/webhook-file.ts'
import type { ConfigProblem } from '../config/config-entry.ts'
import type { ConfigSetting } from '../config/config-file.ts'
import { fieldOf } from '../config/option-forms.ts'
import { isUsageError } from '../support/exit-codes.ts'
import { checkProxies } from './run-server.ts'
import { checkAddresses } from './served-addresses.ts'
import { checkFollowing } from './following-settings.ts'
import { checkReplicating, replicatingFields } from './replicating-settings.ts'
import type { ServerSettings } from './server-settings.ts'
import { servingMetrics } from './serving-metrics.ts'
import { assertWorkable } from './start-workers.ts'
import { loadTls } from './tls-files.ts'

type Given = Partial<ServerSettings>

/** Each with the field whose line has the mistake. */
const checks: readonly (readonly [field: string, check: (given: Given) => unknown])[] = [
  ['trusted-proxy', (given) => checkProxies(given)],
  ['journal', (given) => checkAddresses(given)],
  ['identities', ({ identities }) => identities !== undefined && loadIdentityFile(identities)],
  ['keyring', ({ keyring }) => keyring !== undefined && loadKeyringFile(keyring)],
  ['webhooks', ({ webhooks }) => webhooks !== undefined && loadWebhookFile(webhooks)],
  ['replicate', ({ replicate = [] }) => replicaSchedules(replicate.map((to) => ({ to })))],
  ['follow', (given) => checkFollowing(given)],
  ['tls-cert', loadTls],
  ['metrics-token-file', (given) => servingMetrics(given, {})],
  ['workers', ({ workers = 1, layout }) => assertWorkable(workers, layout)],
]

export async function usableSettings(settings: readonly ConfigSetting[]): Promise<readonly ConfigProblem[]> {
  const given = Object.fromEntries(settings.map(({ option, value }) => [option.attributeName(), value])) as Given
  const lines = new Map(settings.map(({ option, line }) => [fieldOf(option), line]))
  const problems: ConfigProblem[] = []
  const fields = [...lines.keys()]
  const ofReplicas = [replicatingFields(fields)[0] ?? '', (one: Given) => checkReplicating(fields, one)] as const
  for (const [field, check] of [...checks, ofReplicas]) {
    const rule = await problemOf(() => check(given))
    // A key without its certificate has no line of the certificate.
    if (rule !== undefined) problems.push({ line: lines.get(field) ?? lines.get('tls-key') ?? 1, column: 1, rule })
  }
  return problems.toSorted((a, b) => a.line - b.line)
}

async function problemOf(check: () => unknown): Promise<string | undefined> {
  try {
    await check()
    return undefined
  } catch (error) {
    if (isUsageError(error) || isStorageError(error, 'InvalidArgument')) return error.message.replace(/\.$/, '')
    throw error
  }
}
