complete -c pkc-wait -w 'processkit-cli wait'
