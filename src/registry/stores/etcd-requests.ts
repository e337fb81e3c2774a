import type { ICompare, IKeyValue, IRequestOp } from 'etcd3';

/** How many operations, or comparisons, etcd takes in a transaction by default. */
export const MAX_OPERATIONS = 128;

export const isAbsent = (key: Buffer): ICompare => ({
  key,
  target: 'Create',
  result: 'Equal',
  create_revision: '0',
});

/** Nobody has changed the key since it was read, or made it if it was absent. */
export const isUnchanged = (key: Buffer, read: IKeyValue | undefined): ICompare => isAtRevision(key, revisionOf(read));

export const isAtRevision = (key: Buffer, revision: string): ICompare => ({
  key,
  target: 'Mod',
  result: 'Equal',
  mod_revision: revision,
});

export const isEqual = (key: Buffer, value: Buffer): ICompare => ({ key, target: 'Value', result: 'Equal', value });

export const revisionOf = (read: IKeyValue | undefined): string => read?.mod_revision ?? '0';

export const get = (key: Buffer): IRequestOp => ({ request_range: { key } });

export const put = (key: Buffer, value: Buffer, lease = '0'): IRequestOp => ({ request_put: { key, value, lease } });

export const remove = (key: Buffer): IRequestOp => ({ request_delete_range: { key } });
