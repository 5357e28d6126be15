/** The addresses of a store that several servers share. */
import { Option } from 'commander'
import { parseText } from './parse-values.ts'

export const addressOptions = (): Option[] => [
  new Option('--journal <address>', 'a journal that several servers share, instead of a directory: postgres://...')
    .env('VARVE_JOURNAL')
    .argParser(parseText),
  new Option('--blobs <address>', 'the blobs beside that journal: s3://BUCKET/PREFIX or file:///DIRECTORY')
    .env('VARVE_BLOBS')
    .argParser(parseText),
]
