import { type Chapter, clients, core, http, recorded, seed, shownBy, wire } from './fact.ts'

export const conditions: Chapter = {
  title: 'Conditions',
  facts: [
    ...shownBy(recorded('conditions'), [
      [
        'writes take If-None-Match only with *, If-Match never with *, and not both; otherwise 501 names the refused header',
        'recorded: put_object_if_none_match_validation, put_object_if_match_validation, copy_object_precondition_write_validation',
        '${how} takes If-None-Match only with *, If-Match never with *, and not both',
      ],
      [
        'If-Match of an absent key or a key with a current marker is 404 NoSuchKey; If-None-Match: * succeeds over a marker',
        'recorded: put_object_if_match_versioned_bucket, copy_object_if_match_versioned_bucket',
        '${how} fails where its condition does, and finds no key where there is none or a marker',
      ],
      [
        'If-Match and If-Unmodified-Since that fail are 412 with Condition; equal times pass',
        'recorded: s3_get_object_preconditions',
        'a condition that fails is named: 412 for those that must hold, 304 without a body for those that must not',
      ],
      [
        'If-None-Match hit and If-Modified-Since not newer are 304; a future date is ignored; quotes may be missing',
        'recorded: s3_get_object_preconditions',
        'a condition that fails is named: 412 for those that must hold, 304 without a body for those that must not',
      ],
      [
        'an If-Match that holds takes precedence over If-Unmodified-Since, If-None-Match over If-Modified-Since',
        'AWS documentation: GetObject',
        'an ETag that matches beats a date that does not',
      ],
      [
        'conditions on the source are 412 with x-amz-copy-source-If-…; an unmodified-since fails beside an if-none-match that holds',
        'recorded: s3_copy_object_preconditions, upload_part_copy_with_copy_source_if_none_match_and_if_unmodified_since_match_failed',
        'a condition on the source of a copy is 412 when it fails, under its own name',
      ],
      [
        '304 has ETag, Last-Modified and Cache-Control but no body, and takes precedence over a range',
        'RFC 9110, 15.4.5 and 13.2.2',
        '304 has the headers that caches keep, and comes before a range',
      ],
      [
        'a missing key is reported before an invalid range',
        'recorded: range_key_not_exists',
        'a range outside is 416 with the size, and so is any of an empty object but its last bytes; a missing key comes first',
      ],
    ]),
    ...shownBy(wire('write-conditions'), [
      [
        'a write with a condition that it does not have is 501; so is the removal of a version with If-Match',
        'AWS documentation: conditional requests; seen elsewhere: NotImplemented for DELETE ?versionId with If-Match',
        'of a version is refused with If-Match: %s',
      ],
    ]),
    ...shownBy(wire('connections'), [
      [
        'of many concurrent writes with If-None-Match: * exactly one succeeds',
        'seen elsewhere: floci#1328',
        'lets exactly one of many If-None-Match: * succeed',
      ],
    ]),
  ],
}

export const ranges: Chapter = {
  title: 'Ranges',
  facts: [
    ...shownBy(recorded('conditions'), [
      [
        '+ in x-amz-copy-source is a space, %2B a plus',
        'recorded: go-cloud s3blob, copies of odd keys',
        'a plus in the source of a copy is a space, as in a form',
      ],
      [
        '0-8, 1-, -2, -15 and 0-100 of ten bytes are 206',
        'recorded: get_object_range',
        'a range within is 206, cut where the object ends; what is no range, or several, is 200 and all of it',
      ],
      [
        '1-0, -1-, 0--1, several ranges, - and garbage are 200 with all bytes',
        'recorded: get_object_range',
        'a range within is 206, cut where the object ends; what is no range, or several, is 200 and all of it',
      ],
      [
        '-0, 100-200 and any range of an empty object but its last bytes are 416 with ActualObjectSize and RangeRequested',
        'recorded: get_object_range; s3-tests: ranged_request_empty_object',
        'a range outside is 416 with the size, and so is any of an empty object but its last bytes; a missing key comes first',
      ],
      [
        'the last bytes of an empty object are 200 and all of it; a range that is the whole object has its checksum',
        'AWS documentation: GetObject; RFC 9110, 14.1.2',
        'the last bytes of an empty object are 200; a range that is the whole object carries its checksum',
      ],
      [
        'an x-amz-copy-source-range other than bytes=a-b, or with an end past the source, is InvalidArgument with the value; a start past the source is InvalidRequest',
        'recorded: upload_part_copy_range',
        'the range of a copied part has both ends, and lies in its source',
      ],
    ]),
  ],
}

export const deletes: Chapter = {
  title: 'DeleteObjects',
  facts: [
    ...shownBy(clients('aws-copies'), [
      [
        'more than 1000 objects are 400, and none is deleted',
        's3-tests: multi_object_delete_key_limit',
        'a thousand are deleted in one request; a thousand and one are refused and stay',
      ],
      [
        'keys that are not there count as deleted',
        'recorded: delete_objects',
        'the named keys are deleted, missing ones count as deleted, and the rest stay',
      ],
      ['with Quiet the answer has only errors', 'AWS documentation: DeleteObjects', 'quiet mode reports only failures'],
      [
        'a key listed twice is deleted twice, in order; with versioning this makes two delete markers',
        'AWS documentation: DeleteObjects',
        'with versioning it reports which delete markers were made and which removed',
      ],
    ]),
    ...shownBy(clients('aws-object-lock'), [
      [
        'a locked version gets its own AccessDenied, and the other objects are deleted',
        'recorded: s3_object_retention_compliance_mode',
        'GOVERNANCE protects a version from every delete without a bypass',
      ],
    ]),
    ...shownBy(recorded('requests'), [
      [
        'a new delete marker has DeleteMarker and DeleteMarkerVersionId; a removed one has VersionId as well',
        'recorded: delete_objects_versioned',
        'a marker that is made is reported by its id, and one that is removed by both',
      ],
      [
        'a key in the document is decoded as XML once, never as a URL',
        'recorded: delete_objects_encoding',
        'a key is not decoded as a URL: a percent sign in it is a percent sign',
      ],
    ]),
  ],
}

export const keys: Chapter = {
  title: 'Keys, XML and HTTP',
  facts: [
    ...shownBy(wire('keys'), [
      [
        'a//b, /a, a/, ., .., a/../b, %2F, +, a beside a/b, emoji, blanks at the end: each is a separate key',
        'recorded: object_with_slashes_in_key, put_get_object_special_character, url_encoded_key',
        '${shown(key)} comes back byte for byte',
      ],
      [
        'control characters are allowed in keys, and do not break a listing',
        'AWS documentation: object keys',
        'are all listed, once, encoded on request',
      ],
    ]),
    ...shownBy(clients('aws-objects'), [
      [
        'a key has at most 1024 bytes: KeyTooLongError',
        'AWS documentation: object keys',
        'a key longer than 1024 bytes is refused; one of 1024 is a key',
      ],
      [
        'metadata beyond 2 KB is MetadataTooLarge',
        'AWS documentation: user-defined metadata',
        'metadata beyond 2 KB is refused',
      ],
      [
        'names of metadata come back in lower case',
        'AWS documentation: user-defined metadata',
        'headers and metadata are kept with the object',
      ],
      [
        'a PUT that is aborted before its body ends leaves the previous object',
        's3-tests: atomic_write_1mb',
        'an aborted request leaves what was there before',
      ],
    ]),
    ...shownBy(http('target/parse-target'), [
      [
        'paths are percent-decoded once, and never normalised',
        'recorded: object_with_slashes_in_key',
        '%j is bucket %j and key %j',
      ],
      ['an invalid percent escape, and bytes that are not UTF-8, are 400', 'AWS: InvalidURI', '%j is refused: %s'],
      [
        'the signature covers the path as it was sent',
        'AWS documentation: SigV4, canonical request',
        'keeps the raw path and the raw query for the signature',
      ],
    ]),
    ...shownBy(recorded('requests'), [
      [
        'a control character is a character reference in XML, CR too; with encoding-type=url it is percent-encoded',
        'AWS documentation: object keys, XML related constraints',
        'a control character in a key is written as a reference, and safely when encoded for a URL',
      ],
      [
        'response-… parameters of unsigned requests are InvalidRequest, for GET and HEAD',
        'AWS documentation: GetObject; seen on the wire: floci#1098',
        'an anonymous request cannot choose headers of its answer',
      ],
      [
        'x-amz-object-lock-… headers need Content-MD5 or a checksum',
        'AWS documentation: PutObject; seen on the wire: fluent-bit#3035, zio-s3#394',
        'what is locked from its first moment comes with a checksum or an MD5',
      ],
      [
        'a redirect without http://, https:// or / in front is InvalidRedirectLocation',
        'seen on the wire: aws-cli#1130',
        'a redirect that leads nowhere is named as one',
      ],
      [
        'an error has Code, Message, elements such as Key, RequestId and HostId',
        'AWS documentation: error responses',
        'an error has its request id in its document and its headers',
      ],
      [
        'a request with an unknown subresource never reaches the object',
        'seen elsewhere: R2',
        'an unknown subresource never reaches the object',
      ],
      [
        'a copy onto itself that changes nothing is InvalidRequest',
        'recorded: s3_copy_object_in_place',
        'a copy onto itself that changes nothing is illegal',
      ],
      [
        'a copy of an older version of itself restores it',
        'recorded: s3_copy_object_in_place_versioned',
        'an older version copied onto its own key is current again',
      ],
    ]),
    ...shownBy(http('xml/write'), [
      ['lone surrogates and U+FFFE are written, and do not break a document', 'XML 1.0, 2.2', 'escapes %j'],
    ]),
    ...shownBy(http('headers/encoded-words'), [
      [
        'non-ASCII metadata is returned as RFC 2047 encoded words',
        'recorded: post_object_with_unicode_metadata',
        'writes %j as S3 does',
      ],
    ]),
    ...shownBy(wire('header-bytes'), [
      [
        'Content-Disposition, Cache-Control and their like come back with the bytes that were sent, whatever they encode',
        'recorded: system_metadata_with_unicode',
        'comes back with the bytes that were sent: %s, %s',
      ],
    ]),
    ...shownBy(http('headers/header-text'), [
      [
        'bytes of metadata are read as UTF-8 if they are valid, otherwise as ISO 8859-1',
        'how Node hands them over',
        'takes bytes that are not UTF-8 for ISO 8859-1',
      ],
    ]),
    ...shownBy(http('objects/metadata-in'), [
      [
        'metadata sent twice is joined by a bare comma',
        'AWS documentation: SigV4, canonical headers',
        'joins repeated metadata with a bare comma',
      ],
    ]),
    ...shownBy(wire('connections'), [
      [
        '100 Continue is sent once',
        'seen elsewhere: cloudserver#3282, aws-sdk-js#3404',
        'sends 100 Continue once, and then the answer',
      ],
      [
        '100 Continue is sent only after conditions hold',
        's3-tests: 100_continue',
        'checks If-None-Match before it requests the body',
      ],
      [
        'a refusal in place of 100 Continue leaves the connection usable',
        's3-tests: 100_continue_error_retry',
        'answers an early refusal to a client that sends its body all the same',
      ],
      [
        'errors of HEAD have no body, and the next answer on the connection is intact',
        'recorded: head_object_fields',
        'has no body in answers to HEAD, so that the next answer is where it should be',
      ],
      [
        'a body that does not arrive is RequestTimeout, and nothing is stored',
        'AWS: RequestTimeout',
        'answers RequestTimeout when a body does not come, and stores nothing',
      ],
      [
        'a body that is cut short is IncompleteBody',
        'AWS: IncompleteBody',
        'answers IncompleteBody when a client ends a body before its announced length',
      ],
    ]),
    ...shownBy(core('content/content'), [
      [
        'the bytes of an aborted write are removed at once',
        's3-tests: atomic_write_1mb',
        'stops at once when it is aborted, even if the source is silent',
      ],
    ]),
    ...shownBy(seed('buckets'), [
      [
        'every answer has a request id',
        'service description: endpoints',
        'every request has an x-request-id of its own',
      ],
    ]),
    ...shownBy(http('operations/screen'), [
      [
        'an unknown subresource is NotImplemented',
        'seen elsewhere: R2',
        'never lets an unknown subresource reach an object',
      ],
    ]),
    ...shownBy(wire('misplaced-parameters'), [
      [
        'two parameters that choose operations are InvalidArgument, Conflicting query string parameters',
        'AWS: error responses to ?acl&policy',
        'is named',
      ],
      [
        'a server without the S3 Control API answers its paths with 405, and Terraform continues with S3',
        'seen elsewhere: terraform-provider-aws#46122',
        'is not there: %s',
      ],
    ]),
    ...shownBy(wire('vary'), [
      [
        'every answer of a bucket with CORS rules has Vary, also without an Origin, and if no rule matches',
        'seen elsewhere: seaweedfs#8071, trafficserver#3954',
        'is in every answer of a bucket with rules: %s',
      ],
    ]),
    ...shownBy(wire('header-spelling'), [
      [
        'header names are spelled ETag, Content-Length, Last-Modified, Accept-Ranges; those that begin with x-amz- are in lower case',
        'seen elsewhere: libs3 and shell scripts, which compare them with case',
        'of %s are as S3 spells them',
      ],
    ]),
    ...shownBy(wire('exact-names'), [
      [
        'names of new buckets that end in -an, and a namespace of the account, are refused',
        'AWS documentation: bucket naming rules, account regional namespaces',
        'creates a bucket in no namespace but its own',
      ],
    ]),
  ],
}
