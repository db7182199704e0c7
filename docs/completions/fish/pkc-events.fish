complete -c pkc-events -w 'processkit-cli events'
