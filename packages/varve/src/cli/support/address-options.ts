/** The addresses of a store that several servers share. */
import { Option } from 'commander'
import { parseDuration, parseNodeName, parseText } from './parse-values.ts'

export const journalOption = (): Option =>
  new Option('--journal <address>', 'a journal that several servers share, instead of a directory: postgres://...')
    .env('VARVE_JOURNAL')
    .argParser(parseText)

export const addressOptions = (): Option[] => [
  journalOption(),
  new Option('--blobs <address>', 'the blobs beside that journal: s3://BUCKET/PREFIX or file:///DIRECTORY')
    .env('VARVE_BLOBS')
    .argParser(parseText),
]

/** What a server has that shares its store with others. */
export const nodeOptions = (): Option[] => [
  new Option(
    '--node-name <name>',
    'tells the servers of one store apart (default: the name of the machine, and the port)',
  )
    .env('VARVE_NODE_NAME')
    .argParser(parseNodeName),
  new Option('--stale <duration>', 'how old the state may be that reads show, at most 1min (default: 0, the newest)')
    .env('VARVE_STALE')
    .argParser(parseDuration),
  new Option('--drain <duration>', 'how long a node that is told to stop goes on while /-/health answers 503')
    .env('VARVE_DRAIN')
    .default(0, '0')
    .argParser(parseDuration),
]
