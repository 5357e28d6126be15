/** `varve journal`: prepares the database of a store that several servers share. */
import { Command, Option } from 'commander'
import { journalAt } from '../../parts/journal-address.ts'
import type { CliContext } from '../support/context.ts'
import { journalOption } from '../support/address-options.ts'
import { UsageError } from '../support/exit-codes.ts'
import { parsePartEvents, parseText } from '../support/parse-values.ts'
import { jsonOption } from '../support/store-command.ts'

interface AtAddress {
  readonly journal?: string
  readonly partEvents?: number
  readonly json?: boolean
}

interface RolesOptions {
  readonly schema: string
  readonly owner: string
  readonly node: string
  readonly reader?: string
}

export const journalCommand = (context: CliContext): Command =>
  new Command('journal')
    .description('the tables and roles in PostgreSQL of a store that several servers share')
    .addCommand(rolesCommand(context))
    .addCommand(
      atAddress('create', 'create the tables of a new store, as the owner').action((options: AtAddress) =>
        runCreate(context, options),
      ),
    )

const rolesCommand = (context: CliContext): Command =>
  new Command('roles')
    .description('print SQL that makes the roles of the owner, of servers and of readers')
    .addOption(new Option('--schema <name>', 'the schema of the store').default('varve').argParser(parseText))
    .addOption(new Option('--owner <role>', 'creates the tables').makeOptionMandatory().argParser(parseText))
    .addOption(new Option('--node <role>', 'the role of servers').makeOptionMandatory().argParser(parseText))
    .addOption(new Option('--reader <role>', 'a role that only reads, for audits').argParser(parseText))
    .action(async (options: RolesOptions) => {
      const { journalRoles } = await import('@varve/adapters/postgres')
      await context.output.write(journalRoles(options))
    })

const atAddress = (name: string, description: string): Command =>
  new Command(name)
    .description(description)
    .addOption(journalOption())
    .addOption(
      new Option('--part-events <count>', 'the events of each part of the log (default: 10000000)').argParser(
        parsePartEvents,
      ),
    )
    .addOption(jsonOption())

async function runCreate({ output }: CliContext, { json = false, ...given }: AtAddress): Promise<void> {
  const journal = await journalAt(addressIn(given), partsIn(given))()
  try {
    const head = await journal.head()
    const text = head === 0 ? 'The tables are there, and the log is empty.' : `The log is there, with ${head} events.`
    await (json ? output.json({ kind: 'journal', head }) : output.line(text))
  } finally {
    await journal.close()
  }
}

function addressIn({ journal }: AtAddress): string {
  if (journal === undefined) throw new UsageError('Which journal?', { hint: 'Add `--journal`.' })
  return journal
}

const partsIn = ({ partEvents }: AtAddress): Pick<AtAddress, 'partEvents'> =>
  partEvents === undefined ? {} : { partEvents }
