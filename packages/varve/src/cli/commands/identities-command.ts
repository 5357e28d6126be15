/** `varve identities`: users, roles, policies and access keys, while the store is served or not. */
import type { AccessKeyPair, IdentityInfo, IdentityQuota } from '@varve/core'
import { Command, Option } from 'commander'
import type { CliContext } from '../support/context.ts'
import { reachingCommand, type ReachingOptions } from '../support/endpoint-option.ts'
import { UsageError } from '../support/exit-codes.ts'
import { parseBytes, parseText, parseTotal } from '../support/parse-values.ts'
import { printable } from '../support/printable.ts'
import { givenLimits, quotaText } from '../support/quota-text.ts'
import { withStore } from '../support/reach-store.ts'
import { readTextFile } from '../support/read-text-file.ts'

interface AddOptions extends ReachingOptions {
  readonly policy?: string
  readonly trust?: string
  readonly id?: string
  readonly displayName?: string
  readonly email?: string
}

interface PolicyOptions extends ReachingOptions {
  readonly policy?: string
  readonly trust?: string
  readonly none?: boolean
}

interface QuotaOptions extends ReachingOptions, IdentityQuota {
  readonly none?: boolean
}

interface RevokeOptions extends ReachingOptions {
  readonly all?: boolean
}

export function identitiesCommand(context: CliContext): Command {
  return new Command('identities')
    .description('users, roles, policies and access keys; changes count at once, also in a running server')
    .addCommand(addCommand(context))
    .addCommand(
      reachingCommand('list', 'list them').action((options: ReachingOptions) =>
        withStore(context, options, async (store) => {
          for (const identity of await store.identities.list()) await show(context, options, identity)
        }),
      ),
    )
    .addCommand(
      named('show', 'its facts, policies, access key ids and quota').action((name: string, options: ReachingOptions) =>
        withStore(context, options, async (store) => {
          const identity = await store.identities.get(name)
          await show(context, options, identity)
          if (options.json === true) return
          await showPolicies(context, identity)
          await showQuota(context, identity)
        }),
      ),
    )
    .addCommand(policyCommand(context))
    .addCommand(quotaCommand(context))
    .addCommand(
      named('rotate', 'give a user a second access key; revoke the older one when no client uses it').action(
        (name: string, options: ReachingOptions) =>
          withStore(context, options, async (store) => {
            await showKey(context, options, name, await store.identities.addKey(name))
          }),
      ),
    )
    .addCommand(revokeCommand(context))
    .addCommand(
      named('remove', 'remove an identity and revoke its access keys for good').action(
        (name: string, options: ReachingOptions) =>
          withStore(context, options, async (store) => {
            await store.identities.remove(name)
            await print(context, options, { kind: 'removed', name }, `${printable(name)}  removed`)
          }),
      ),
    )
    .addCommand(
      reachingCommand('import', 'create the identities of a file for --identities, with their access keys')
        .argument('<file>', 'the file', parseText)
        .action((file: string, options: ReachingOptions) => runImport(context, file, options)),
    )
}

const named = (name: string, description: string): Command =>
  reachingCommand(name, description).argument('<name>', 'its name', parseText)

const policyOption = (): Option =>
  new Option('--policy <file>', 'a policy document in JSON: what it may do').argParser(parseText)
const trustOption = (): Option =>
  new Option('--trust <file>', 'a trust policy in JSON: who may assume the role').argParser(parseText)

const addCommand = (context: CliContext): Command =>
  named('add', 'create a user and show its access key once; with --trust, a role')
    .addOption(policyOption())
    .addOption(trustOption())
    .option('--id <id>', 'what buckets and events call it (default: random)', parseText)
    .option('--display-name <text>', 'what is shown (default: the name)', parseText)
    .option('--email <address>', 'its e-mail address, for grants', parseText)
    .action(async (name: string, { policy, trust, id, displayName, email, ...options }: AddOptions) => {
      const policies = await policiesOf({ policy, trust })
      const facts = { ...(id && { id }), ...(displayName && { displayName }), ...(email && { email }) }
      await withStore(context, options, async (store) => {
        const { identity, key } = await store.identities.create(name, { ...facts, ...policies })
        await show(context, options, identity)
        if (key !== undefined) await showKey(context, options, name, key)
      })
    })

const policyCommand = (context: CliContext): Command =>
  named('policy', 'replace the policy of an identity, or remove it')
    .addOption(policyOption().conflicts('none'))
    .addOption(trustOption())
    .addOption(new Option('--none', 'remove the policy: it may then do everything in its own buckets, and no more'))
    .action(async (name: string, { policy, trust, none = false, ...options }: PolicyOptions) => {
      if (policy === undefined && !none)
        throw new UsageError('Which policy?', { hint: 'Give `--policy FILE`, or `--none`.' })
      const policies = await policiesOf({ policy, trust })
      await withStore(context, options, async (store) => {
        await show(context, options, await store.identities.setPolicies(name, policies))
      })
    })

const quotaCommand = (context: CliContext): Command =>
  named('quota', 'limit all buckets together that an identity owns; for root')
    .option('--bytes <size>', 'the most stored bytes, such as 50GiB', parseBytes)
    .option('--buckets <count>', 'the most buckets', parseTotal)
    .addOption(new Option('--none', 'limit them no more').conflicts(['bytes', 'buckets']))
    .action(async (name: string, { bytes, buckets, none = false, ...options }: QuotaOptions) => {
      const quota = givenLimits<IdentityQuota>({ bytes, buckets })
      if (Object.keys(quota).length === 0 && !none)
        throw new UsageError('Which limits?', { hint: 'Give `--bytes`, `--buckets` or both, or `--none`.' })
      await withStore(context, options, async (store) => {
        const identity = await store.identities.setQuota(name, quota)
        if (options.json === true) await show(context, options, identity)
        else await showQuota(context, identity)
      })
    })

const revokeCommand = (context: CliContext): Command =>
  named('revoke', 'end an access key for good')
    .argument('[access-key-id]', 'the key')
    .addOption(new Option('--all', 'all of its keys'))
    .action(async (name: string, id: string | undefined, { all = false, ...options }: RevokeOptions) => {
      if ((id === undefined) !== all)
        throw new UsageError('Which access keys?', { hint: 'Name one access key, or give `--all`.' })
      await withStore(context, options, async (store) => {
        const keys = (await store.identities.get(name)).accessKeys.map(({ accessKeyId }) => accessKeyId)
        for (const accessKeyId of id === undefined ? keys : [id]) {
          await store.identities.revokeKey(name, accessKeyId)
          await print(context, options, { kind: 'revoked', name, accessKeyId }, `${accessKeyId}  revoked`)
        }
      })
    })

/** The store checks them. */
const policiesOf = async ({ policy, trust }: Pick<AddOptions, 'policy' | 'trust'>) => ({
  ...(policy !== undefined && { policy: await readTextFile(policy) }),
  ...(trust !== undefined && { trust: await readTextFile(trust) }),
})

/** Identities that the store knows already are left as they are, so that an interrupted import can be repeated. */
async function runImport(context: CliContext, file: string, options: ReachingOptions): Promise<void> {
  const { importedIdentities } = await import('../../identities/imported-identities.ts')
  const { identities, skipped } = await importedIdentities(file)
  await withStore(context, options, async (store) => {
    const known = new Set((await store.identities.list()).map(({ name }) => name))
    for (const name of skipped)
      await print(context, options, { kind: 'skipped', name }, `${printable(name)}  root stays in the file`)
    for (const { name, ...facts } of identities) {
      if (known.has(name))
        await print(context, options, { kind: 'known', name }, `${printable(name)}  is known already`)
      else await show(context, options, (await store.identities.create(name, facts)).identity)
    }
  })
}

async function show({ output }: CliContext, { json = false }: ReachingOptions, identity: IdentityInfo): Promise<void> {
  if (json) return output.json({ kind: 'identity', ...identity })
  const { name, id, accessKeys, policy, trust, createdAt, createdBy } = identity
  const columns = [
    printable(name),
    trust === undefined ? 'user' : 'role',
    `id ${id}`,
    policy === undefined ? 'no policy' : 'with a policy',
    ...accessKeys.map(({ accessKeyId }) => accessKeyId),
    createdAt.toISOString(),
    `by ${printable(createdBy.name)}`,
  ]
  await output.line(columns.join('  '))
}

async function showPolicies({ output }: CliContext, { policy, trust }: IdentityInfo): Promise<void> {
  for (const text of [policy, trust]) if (text !== undefined) await output.line(printable(text))
}

const showQuota = ({ output }: CliContext, { name, quota = {}, usage }: IdentityInfo): Promise<void> =>
  output.line(`${printable(name)}  ${quotaText(quota)}  used: ${usage.bytes} bytes, buckets: ${usage.buckets}`)

async function showKey(
  context: CliContext,
  options: ReachingOptions,
  name: string,
  { accessKeyId, secretAccessKey }: AccessKeyPair,
): Promise<void> {
  const lines = [
    `The access key of ${printable(name)}, shown this once:`,
    `  access key id      ${accessKeyId}`,
    `  secret access key  ${secretAccessKey}`,
  ]
  await print(context, options, { kind: 'access-key', name, accessKeyId, secretAccessKey }, lines.join('\n'))
}

const print = (
  { output }: CliContext,
  { json = false }: ReachingOptions,
  fields: object,
  text: string,
): Promise<void> => (json ? output.json(fields) : output.line(text))
