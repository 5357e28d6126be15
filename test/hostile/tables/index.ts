/** Every table, by the section of the checklist it is of. */
import type { Table } from '../row.ts'
import { awsChunked } from './aws-chunked.ts'
import { edges } from './edges.ts'
import { forms } from './forms.ts'
import { framing } from './framing.ts'
import { headerSignatures } from './header-signatures.ts'
import { limits } from './limits.ts'
import { urlSignatures } from './url-signatures.ts'
import { xml } from './xml.ts'

export const tables: readonly Table[] = [
  { section: '4.1 framing and targets', rows: framing },
  { section: '4.1 limits', rows: limits },
  { section: '4.2 XML', rows: xml },
  { section: '4.3 signatures in the header', rows: headerSignatures },
  { section: '4.3 signatures in the URL', rows: urlSignatures },
  { section: '4.3 aws-chunked bodies', rows: awsChunked },
  { section: '4.3 forms', rows: forms },
  { section: '4.4 names, ranges and authority', rows: edges },
]
