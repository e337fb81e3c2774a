// What elements are made by: esbuild imports it wherever there are some.
export { Fragment, h } from 'preact';
